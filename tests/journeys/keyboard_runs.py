"""Ways through burn-ins, their records and the preferences, each by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

from tests.journeys.keyboard import User

JOURNEYS: tuple[Callable[[User], None], ...] = ()
