"""Processor and board: socket and number."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of
from core.rules.words import count_of


def _socket(read: Reader, cpu: Part) -> Answer:
    board = read.board
    own, offered = read.all((cpu, "socket"), (board, "socket"))
    if own is offered:
        return Answer(Status.PASS, f"{cpu.title} and {board.title} share the socket {own}.")
    return Answer(Status.FAIL, f"{cpu.title} needs socket {own}, but {board.title} has {offered}.")


def _count(read: Reader, machine: Machine) -> Answer:
    count = machine.count(Category.CPU)
    board = read.board
    sockets = read(board, "cpu_sockets")
    read.about(*(line.part for line in machine.lines(Category.CPU)))
    cpus, places = count_of(count, "CPU"), count_of(sockets, "CPU socket")
    if count > sockets:
        return Answer(Status.FAIL, f"{cpus}, but {board.title} has {places}.", count, sockets, "CPUs")
    if count < sockets:
        dead = "the slots and RAM sockets of the empty one are dead"
        return Answer(Status.NOTE, f"{cpus} in {places} of {board.title}: {dead}.", count, sockets, "CPUs")
    return Answer(Status.PASS, f"{cpus} in {places} of {board.title}.", count, sockets, "CPUs")


def _together(read: Reader, machine: Machine) -> Answer:
    lines = machine.lines(Category.CPU)
    count = machine.count(Category.CPU)
    read.about(*(line.part for line in lines))
    if count == 1:
        return Answer(Status.PASS, f"{lines[0].part.title} works alone.", 1, unit="CPUs")
    allowed = min(read.all(*((line.part, "max_sockets") for line in lines)))
    if allowed < count:
        message = f"{count} CPUs together, but the weakest model works in machines of at most {allowed}."
        return Answer(Status.FAIL, message, count, allowed, "CPUs")
    if len(lines) > 1:
        return Answer(Status.WARN, "Different CPUs in one machine: makers ask for equal ones.", count, allowed, "CPUs")
    return Answer(Status.PASS, f"{lines[0].part.title} works in machines of {allowed} CPUs.", count, allowed, "CPUs")


CPU_RULES = (
    Rule(
        "cpu-socket",
        "CPU socket",
        "A CPU fits the socket of its own name only, even where another is mechanically alike (TR4, sTRX4, SP3).",
        "socket definitions of AMD and Intel; the parts' data sheets",
        _socket,
        (Category.CPU, Category.MOTHERBOARD),
        subjects=parts_of(Category.CPU),
    ),
    Rule(
        "cpu-count",
        "Number of CPUs",
        "CPUs <= sockets of the board.",
        "the board's data sheet",
        _count,
        (Category.CPU, Category.MOTHERBOARD),
    ),
    Rule(
        "cpu-together",
        "CPUs together",
        "CPUs <= sockets that each CPU model supports; equal models.",
        "the CPUs' data sheets",
        _together,
        (Category.CPU,),
    ),
)
