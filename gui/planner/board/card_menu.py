"""What can be done with a placed card or a line: risers, another slot or socket, a power limit, a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from core.parts.part import Condition
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import PutOnRisers, SetPowerLimit, SetRole, SetSlotGeneration, SetSockets
from core.plan.edits import Edit, PlaceCards, Several
from core.plan.line import Line, Role, is_card
from core.plan.placement.sockets import drive_sockets, socket_form, socketed_drives
from core.plan.price_edits import SetCondition
from core.words import tr


class EditMenu(QMenu):
    """Entries that carry edits; `chosen(edit)` when one is taken, also from a menu below."""

    chosen = Signal(object)

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(title.replace("&", "&&"), parent)
        self.setToolTipsVisible(True)
        self.triggered.connect(self._choose)

    def add_edit(self, text: str, edit: Edit, *, checked: bool | None = None) -> QAction:
        """An entry; with `checked` one that shows a state."""
        action = self.addAction(text.replace("&", "&&"))
        action.setData(edit)
        if checked is not None:
            action.setCheckable(True)
            action.setChecked(checked)
        return action

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        if action.data() is not None:
            self.chosen.emit(action.data())


class CardMenu(EditMenu):
    """For one placed card of the board view. `limit_wanted` asks for a field to type a power limit into."""

    limit_wanted = Signal()

    def __init__(self, build: Build, line: Line, number: int, parent: QWidget | None = None) -> None:
        """`number` counts the cards of the line from 1; the card has a slot."""
        super().__init__(parent=parent)
        slot = line.slots[number - 1]
        words = tr("{title}, card {number}, slot {slot}", title=line.part.title, number=number, slot=slot)
        self.addSection(words.replace("&", "&&"))
        on_riser = slot in line.risers
        self.add_edit(tr("Mount on a riser"), put_on_riser(line, slot, on=not on_riser), checked=on_riser)
        others = EditMenu(tr("Move to slot"), self)
        for other in build.seats():
            if other.position != slot:
                others.add_edit(f"{other.position}  {other.label}", move(line, number, other.position))
        self.addMenu(others)
        self.addMenu(_generation_menu(build, slot, self))
        rest = tuple(place for place in line.slots if place != slot)
        self.add_edit(tr("Remove from its slot"), PlaceCards(line.part.id, rest))
        if line.part.category is Category.GPU:
            self.addSeparator()
            self.addAction(tr("Set power limit …"), self.limit_wanted.emit)
            if line.power_limit_w is not None:
                self.add_edit(tr("Default power limit"), SetPowerLimit(line.part.id, None))
            if roles := role_menu(build, line, self):
                self.addMenu(roles)


def _generation_menu(build: Build, slot: int, parent: QWidget) -> EditMenu:
    """What the slot can be set to in the firmware: as fast as it can, or an older generation."""
    menu = EditMenu(tr("Set slot to"), parent)
    board = build.motherboard
    own = next((one.generation for one in (board[1].slots or ()) if one.position == slot), 1) if board else 1
    now = dict(build.slot_generations).get(slot)
    menu.add_edit(tr("Automatic"), SetSlotGeneration((slot,), None), checked=now is None)
    for generation in range(own - 1, 0, -1):
        words = tr("Gen{generation}", generation=generation)
        menu.add_edit(words, SetSlotGeneration((slot,), generation), checked=now == generation)
    return menu


def socket_menu(build: Build, line: Line, parent: QWidget) -> EditMenu | None:
    """The sockets of the board for each drive of a line; None where the board has none for it."""
    board = build.motherboard
    drives = [drive for drive in socketed_drives(build) if drive.part is line.part]
    fitting = [one for one in (board[1].m2 or ()) if drives and socket_form(one) == drives[0].form] if board else []
    if not fitting:
        return None
    places = drive_sockets(build)
    menu = EditMenu(tr("M.2 socket"), parent)
    for drive in drives:
        place = places.get(drive.key)
        words = tr("Drive {number}", number=drive.number)
        of_drive = EditMenu(words, menu) if len(drives) > 1 else menu
        automatic = tr("Automatic ({label})", label=place.label) if place and drive.label is None else tr("Automatic")
        of_drive.add_edit(automatic, _in_socket(line, drive.number, None), checked=drive.label is None)
        for socket in fitting:
            chosen = drive.label == socket.label
            of_drive.add_edit(socket.label, _in_socket(line, drive.number, socket.label), checked=chosen)
        if of_drive is not menu:
            menu.addMenu(of_drive)
    return menu


def _in_socket(line: Line, number: int, label: str | None) -> Edit:
    """Puts one drive into a socket; another drive of the line there is placed automatically."""
    labels = [line.socket(each) for each in range(1, line.quantity + 1)]
    labels = [None if label is not None and each == label else each for each in labels]
    labels[number - 1] = label
    return SetSockets(line.part.id, tuple(labels))


def riser_menu(build: Build, line: Line, parent: QWidget) -> EditMenu | None:
    """An entry per placed card of a line that puts it on a riser or takes it off; None without such cards."""
    if not is_card(line.part) or not line.slots:
        return None
    menu = EditMenu(tr("On risers"), parent)
    labels = {slot.position: slot.label for slot in build.seats()}
    for slot in line.slots:
        words = tr("Slot {slot}  {label}", slot=slot, label=labels.get(slot, "")).rstrip()
        menu.add_edit(words, put_on_riser(line, slot, on=slot not in line.risers), checked=slot in line.risers)
    if len(line.slots) > 1:
        menu.addSeparator()
        menu.add_edit(tr("All"), PutOnRisers(line.part.id, line.slots))
        menu.add_edit(tr("None"), PutOnRisers(line.part.id, ()))
    return menu


def role_menu(build: Build, line: Line, parent: QWidget) -> EditMenu | None:
    """What the GPUs of a line may be for; the first entry leaves it to their size. None for what is no GPU."""
    if line.part.category is not Category.GPU:
        return None
    menu = EditMenu(tr("Role"), parent)
    guess = build.with_lines(tuple(replace(one, role=None) if one is line else one for one in build.lines))
    words = tr("By size: {role}", role=guess.role(line.part.id).label)
    menu.add_edit(words, SetRole(line.part.id, None), checked=line.role is None)
    menu.addSeparator()
    for role in Role:
        menu.add_edit(role.label, SetRole(line.part.id, role), checked=line.role is role)
    return menu


def condition_menu(build: Build, lines: Sequence[Line], parent: QWidget) -> EditMenu:
    """New, used or owned, for all these lines at once; the first entry leaves it to the build."""
    menu = EditMenu(tr("Condition"), parent)
    words, unset = tr("Like the build: {condition}", condition=build.condition.label), _all_in_condition(lines, None)
    menu.add_edit(words, unset, checked=all(line.condition is None for line in lines))
    menu.addSeparator()
    for condition in Condition:
        checked = all(line.condition is condition for line in lines)
        menu.add_edit(condition.label, _all_in_condition(lines, condition), checked=checked)
    return menu


def _all_in_condition(lines: Sequence[Line], condition: Condition | None) -> Edit:
    edits = tuple(SetCondition(line.part.id, condition) for line in lines)
    if len(edits) == 1:
        return edits[0]
    return Several(tr("Change the condition of {count} lines", count=len(edits)), edits)


def put_on_riser(line: Line, slot: int, *, on: bool) -> Edit:
    """Puts one card on a riser, or takes it off."""
    risers = {*line.risers, slot} if on else {*line.risers} - {slot}
    return PutOnRisers(line.part.id, tuple(place for place in line.slots if place in risers))


def move(line: Line, number: int, slot: int) -> Edit:
    """Puts a placed card into another slot; a card of the same line there changes places with it."""
    old = line.slots[number - 1]
    swapped = {old: slot, slot: old}
    return PlaceCards(line.part.id, tuple(swapped.get(place, place) for place in line.slots))
