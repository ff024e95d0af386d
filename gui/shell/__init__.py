"""The window itself: application, main window, menus, pages, start, recovery."""
