"""What one card does, measured within minutes: the page that `make gpu` writes, in Markdown and JSON."""
