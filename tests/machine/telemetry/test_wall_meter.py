"""The wall meter behind a NUT server: which figure is watts, what is said where there is none; Debian's own upsd."""

from pathlib import Path

import pytest

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.source import WALL_ID, Incident
from core.machine.telemetry.wall import source
from core.machine.telemetry.wall.nut import NutAddress, NutClient, parse_wall
from core.machine.telemetry.wall.source import Figure, WallSource, figure_of
from core.platform.errors import BadInput, EnvironmentProblem
from tests.machine.telemetry.nut_servers import DUMMY_UPS, UPSD, FakeNut, fake_nut, real_nut
from tests.patience import wait_for

SMART = {"ups.mfr": "APC", "ups.model": "Smart-UPS 3000", "ups.realpower": "512", "ups.load": "19"}
LOST = "has lost its own connection to bench"
HOST = NutAddress("office", "127.0.0.1")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("nut:office", NutAddress("office", "localhost", 3493)),
        ("nut:office@rack-3", NutAddress("office", "rack-3", 3493)),
        ("nut:office@192.168.1.5:3500", NutAddress("office", "192.168.1.5", 3500)),
        (" nut://rack-3/office ", NutAddress("office", "rack-3", 3493)),
        ("nut://rack-3:3500/office/", NutAddress("office", "rack-3", 3500)),
        ("nut:office@[fe80::1]:3500", NutAddress("office", "fe80::1", 3500)),
    ],
)
def test_an_address_is_written_as_nut_does_or_as_a_url(text: str, address: NutAddress) -> None:
    assert parse_wall(text) == address
    assert parse_wall(f"nut:{address}") == address


@pytest.mark.parametrize(
    "text",
    ["", "office", "nut:", "nut://rack-3", "nut:office@", "nut:office@h:0", "nut:office@h:70000", "nut:a b@h",
     "nut://user:secret@h/office", "http://h/office", "nut:office@h\nGET", "nut:office@a..b",
     "nut:office@" + 64 * "a", "nut:office@h:port"],
)  # fmt: skip
def test_what_is_no_address_is_said_with_the_way_to_write_one(text: str) -> None:
    with pytest.raises(BadInput, match="nut:UPS@HOST"):
        parse_wall(text)


@pytest.mark.parametrize(
    ("variables", "figure", "text", "watts"),
    [
        (SMART, Figure("ups.realpower"), "512", 512.0),
        ({"input.realpower": "1840.5"}, Figure("input.realpower"), "1840.5", 1840.5),
        ({"outlet.realpower": "96", "ups.load": "3"}, Figure("outlet.realpower"), "96", 96.0),
        ({"ups.load": "19", "ups.realpower.nominal": "865"}, Figure("ups.load", 8.65), "20", 173.0),
        ({"ups.load": "0", "ups.realpower.nominal": "865"}, Figure("ups.load", 8.65), "0", None),
    ],
)
def test_watts_are_read_or_derived_from_load_and_rated_watts(
    variables: dict[str, str], figure: Figure, text: str, watts: float | None
) -> None:
    assert figure_of(variables, HOST) == figure
    assert figure.watts(text) == (watts if watts is None else pytest.approx(watts))


def test_what_is_derived_says_so_with_its_step() -> None:
    assert Figure("ups.load", 8.65).words == "derived: ups.load of 865 W rated, in steps of 8.7 W"


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"ups.power": "640", "ups.load": "40", "ups.power.nominal": "1500"},
        {"ups.realpower": "n/a", "ups.load": "40"},
        {"ups.load": "40", "ups.realpower.nominal": "0"},
        {"ups.realpower": "nan"},
    ],
)
def test_va_and_what_is_no_number_are_no_watts(variables: dict[str, str]) -> None:
    with pytest.raises(EnvironmentProblem, match="measures no watts: it tells neither"):
        figure_of(variables, HOST)


@pytest.mark.parametrize("text", ["", "n/a", "inf", "-12", "1e9"])
def test_what_cannot_be_watts_is_no_reading(text: str) -> None:
    assert Figure("ups.realpower").watts(text) is None


def at(server: FakeNut, ups: str = "office") -> NutAddress:
    return NutAddress(ups, "127.0.0.1", server.port)


def test_the_client_reads_a_list_and_one_value_with_what_is_escaped_in_them() -> None:
    variables = SMART | {"ups.model": 'a "quoted" \\ name', "odd": ""}
    with fake_nut(office=variables) as server, NutClient(at(server)) as client:
        assert client.variables() == variables
        assert client.value("ups.model") == 'a "quoted" \\ name'
    assert server.requests == ["LIST VAR office", "GET VAR office ups.model"]


@pytest.mark.parametrize(
    ("refuses", "says"),
    [
        ("DATA-STALE", "has lost its own connection to office"),
        ("DRIVER-NOT-CONNECTED", "has lost its own connection to office"),
        ("ACCESS-DENIED", "lets nobody read office from here"),
        ("", "refuses to tell of office"),
        ("SOMETHING-ELSE", "refuses to tell of office: SOMETHING-ELSE"),
    ],
)
def test_what_the_server_refuses_is_said(refuses: str, says: str) -> None:
    with fake_nut(office=SMART) as server:
        server.refuses = refuses or " "
        with NutClient(at(server)) as client, pytest.raises(EnvironmentProblem, match=says):
            client.variables()


ENDLESS = b"BEGIN LIST VAR office\n" + b'VAR office a "1"\n' * 3000


@pytest.mark.parametrize(
    "says",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"x" * 9000, b"\xff\xfe\n", b"BEGIN LIST VAR b\n", ENDLESS],
    ids=["HTTP", "a long line", "no text", "of another UPS", "a list without an end"],
)
def test_what_is_no_nut_server_is_said(says: bytes) -> None:
    with fake_nut(office=SMART) as server:
        server.says = says
        with NutClient(at(server)) as client, pytest.raises(EnvironmentProblem, match="is no NUT server"):
            client.variables()


def test_a_server_that_is_silent_or_gone_is_said() -> None:
    with fake_nut(office=SMART) as server, NutClient(at(server), within_s=0.05) as client:
        server.says = b" "
        with pytest.raises(EnvironmentProblem, match="does not answer"):
            client.variables()
    with pytest.raises(EnvironmentProblem, match="cannot be reached"):
        NutClient(at(server))


def described(address: NutAddress) -> Device:
    wall = WallSource(address)
    wall.close()
    [device] = wall.devices()
    return device


def test_the_meter_is_a_device_that_says_what_it_reads() -> None:
    with fake_nut(office=SMART | {"driver.parameter.pollinterval": "2", "device.serial": "AS123"}) as server:
        device = described(at(server))
    assert (device.id, device.kind, device.name, device.serial) == (
        WALL_ID, DeviceKind.WALL, "APC Smart-UPS 3000", "AS123",
    )  # fmt: skip
    assert device.detail == {
        "wall meter": f"office@127.0.0.1:{server.port}", "reading": "ups.realpower", "polled": "every 2 s",
    }  # fmt: skip
    assert device.label == "Wall meter"


def test_what_keeps_it_from_being_read_is_in_its_problem() -> None:
    with fake_nut(rack=SMART, desk={"ups.status": "WAIT"}) as server:
        assert described(at(server)).detail["problem"].endswith("has no office. It has: rack, desk.")
        assert "has told its server nothing yet" in described(at(server, "desk")).detail["problem"]


def test_it_is_read_again_and_again_and_says_when_it_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "EVERY_S", 0.01)
    monkeypatch.setattr(source, "AGAIN_AFTER_S", 0.01)
    incidents: list[Incident] = []
    with fake_nut(office=dict(SMART)) as server:
        wall = WallSource(at(server))
        wall.listen(incidents.append)
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 512.0, "the first reading")
        server.upses["office"]["ups.realpower"] = "700"
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 700.0, "the next reading")
        server.refuses = "DATA-STALE"
        wait_for(lambda: incidents, "word of the loss")
        server.refuses = None
        server.upses["office"]["ups.realpower"] = "710"
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 710.0, "readings again")
        wall.close()
    assert [(incident.kind, "has lost its own connection" in incident.text) for incident in incidents[:1]] == [
        ("wall", True)
    ]


def test_an_old_reading_is_reported_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "EVERY_S", 0.01)
    with fake_nut(office=dict(SMART)) as server:
        wall = WallSource(at(server))
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 512.0, "the first reading")
        monkeypatch.setattr(source, "STALE_S", 0.0)
        assert wall.read() == {WALL_ID: {"machine_power_w": None}}
        wall.close()


def test_the_sampler_reports_it_beside_the_other_devices(sampler) -> None:
    with fake_nut(office=dict(SMART)) as server:
        process = sampler("--simulate", "3090", "--interval", "0.2", "--wall", f"nut:{at(server)}")
        devices = process.next("devices")["devices"]
        assert [device["id"] for device in devices] == ["SIM-0-rtx-3090", "cpu", "wall"]
        read = (process.next("samples")["samples"]["wall"]["machine_power_w"] for _ in range(500))
        assert next(watts for watts in read if watts is not None) == 512.0
        server.refuses = "DRIVER-NOT-CONNECTED"
        assert "has lost its own connection to office" in process.next("wall")["text"]
        assert process.next("samples")["samples"]["SIM-0-rtx-3090"]["power_w"] > 0


@pytest.mark.process
@pytest.mark.skipif(not (UPSD and DUMMY_UPS), reason="NUT's upsd and dummy-ups are not installed (Debian: nut-server)")
def test_debians_upsd_with_dummy_ups_is_read_and_its_loss_is_said(tmp_path: Path) -> None:
    incidents: list[Incident] = []
    with real_nut(tmp_path, "ups.mfr: APC\nups.model: Smart-UPS 3000\nups.realpower: 512\n") as (port, tell, driver):
        address = NutAddress("bench", "127.0.0.1", port)
        wait_for(lambda: _has_watts(address), "dummy-ups to tell upsd its variables")
        wall = WallSource(address)
        wall.listen(incidents.append)
        [device] = wall.devices()
        assert (device.name, device.detail["reading"]) == ("APC Smart-UPS 3000", "ups.realpower")
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 512.0, "the first reading")
        tell("ups.realpower: 1890\n")
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] == 1890.0, "what the meter shows now")
        driver.kill()
        wait_for(lambda: [incident for incident in incidents if LOST in incident.text], "word that the driver is gone")
        wait_for(lambda: wall.read()[WALL_ID]["machine_power_w"] is None, "no reading any more")
        wall.close()


def _has_watts(address: NutAddress) -> bool:
    with NutClient(address) as client:
        try:
            return "ups.realpower" in client.variables()
        except EnvironmentProblem:
            return False
