"""The connection: find a part by words, category, figures and fit, and put it into the build."""
