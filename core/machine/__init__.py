"""What is here: sensors and cards, the machine as built, meters and microphones."""
