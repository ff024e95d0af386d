"""The window: a viewer and editor of what core knows."""
