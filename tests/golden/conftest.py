"""The window of the corpus answers no questions."""

from tests.gui.conftest import answers  # noqa: F401 - a fixture
