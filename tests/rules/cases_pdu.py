"""Verdicts on power distribution units: one change each to the good machine."""

from core.rules.finding import Status
from tests.rules.cases_power import F, N, P, U, W, circuits
from tests.rules.changes import Change, adding, both, count, figures, region

SMALL = [{"kind": "C13", "count": 1}]
TWO_C13 = [{"kind": "C13", "count": 2}]
L6_30 = {"inlet": "NEMA L6-30P", "input_v": 240, "current_a": 30}
US_30 = region("us-240v-30a")
THIRSTY = figures("gpu", power_limit_w=1500)
HUNGRY = both(figures("gpu", power_limit_w=700), count("psu", 2))

CASES: list[tuple[str, Change, Status, str]] = [
    ("pdu", adding("pdu"), P, "any cord with a C20 inlet"),
    ("pdu", adding("pdu", input_v=120), F, "made for 120 V; the mains are 230 V"),
    ("pdu", adding("pdu", input_v=208), P, "C20"),
    ("pdu", adding("pdu", input_v=None), U, "mains voltage"),
    ("pdu", adding("pdu", inlet=None), U, "inlet"),
    ("pdu", adding("pdu", inlet="other"), U, "inlet"),
    ("pdu", adding("pdu", inlet="Schuko plug"), P, "of 16 A; the circuit has 16 A"),
    ("pdu", both(region("eu-230v-10a"), adding("pdu", inlet="Schuko plug")), P, "the circuit has 16 A"),
    ("pdu", adding("pdu", inlet="IEC 309 32 A", current_a=32), F, "no socket of such a circuit"),
    ("pdu", adding("pdu", inlet="NEMA 5-15P"), W, "have it replaced"),
    ("pdu", both(US_30, adding("pdu", **L6_30)), P, "of 30 A; the circuit has 30 A"),
    ("pdu", both(region("us-240v-20a"), adding("pdu", **L6_30)), F, "of 30 A; the circuit has 20 A"),
    ("pdu", both(US_30, adding("pdu", input_v=240, inlet="NEMA L6-20P")), W, "a breaker of its own"),
    ("pdu", both(region("us-120v-20a"), adding("pdu", input_v=120, inlet="NEMA 5-15P")), P, "of 15 A"),
    ("pdu-outlets", adding("pdu"), P, "PSU 1 into C19"),
    ("pdu-outlets", both(figures("psu", inlet="C14"), adding("pdu")), P, "PSU 1 into C13"),
    ("pdu-outlets", adding("pdu", outlets=TWO_C13), W, "a cord from C14 to C19, which carries 10 A"),
    ("pdu-outlets", both(count("psu", 2), adding("pdu", outlets=SMALL)), F, "PSUs 1 and 2 need 2"),
    ("pdu-outlets", both(THIRSTY, adding("pdu", outlets=TWO_C13)), F, "carries that: C13 10"),
    ("pdu-outlets", both(figures("psu", inlet=None), adding("pdu", outlets=TWO_C13)), U, "inlet"),
    ("pdu-outlets", both(figures("psu", inlet=None), adding("pdu")), P, "PSU 1 into C19"),
    ("pdu-outlets", adding("pdu", outlets=[{"kind": "Schuko", "count": 6}]), P, "PSU 1 into Schuko"),
    ("pdu-outlets", adding("pdu", outlets=None), U, "outlets"),
    ("pdu-outlets", adding("pdu", 2), N, "No PSU is left"),
    ("pdu-load", adding("pdu"), P, "it carries 16 A for hours"),
    ("pdu-load", adding("pdu", 2), N, "No PSU is left"),
    ("pdu-load", adding("pdu", current_a=None), U, "rated current"),
    ("pdu-load", adding("pdu", current_a=None, continuous_a=10), P, "it carries 10 A for hours"),
    ("pdu-load", adding("pdu", inlet=None), U, "inlet"),
    ("pdu-load", adding("pdu", continuous_a=4), F, "it carries 4 A for hours"),
    ("pdu-load", both(US_30, adding("pdu", **L6_30)), P, "it carries 24 A for hours"),
    ("pdu-load", both(count("psu", 2), adding("pdu", 2)), P, "PSU 1 on Test PDU-2, circuit 1"),
    ("pdu-load", both(count("psu", 2), circuits(0, 0), adding("pdu")), P, "PSU 1 on"),
    ("pdu-load", both(count("psu", 2), circuits(0, 0), adding("pdu", 2)), P, "circuit 1, draws"),
    ("pdu-load", both(HUNGRY, adding("pdu", bank_breakers=2, bank_breaker_a=5)), W, "its 2 breakers of 5 A"),
    ("pdu-load", both(count("psu", 2), adding("pdu", bank_breakers=2, bank_breaker_a=10)), P, "16 A"),
]
