"""PCI buses as the kernel shows them, written into a folder: bridges, cards, their drivers and links."""

from dataclasses import dataclass
from pathlib import Path

ROOT_PORT, SLOT_RATE = "8086:0000", "16.0 GT/s PCIe"


@dataclass(frozen=True)
class Step:
    """A function on the way from the root bus to a card; a bridge unless its class says otherwise."""

    address: str
    pci_id: str = ROOT_PORT
    class_: str = "0x060400"
    lanes: int = 16
    rate: str = SLOT_RATE
    driver: str | None = None
    boot: bool = False
    errors: int | None = None
    """Corrected errors that this end of a link has counted."""


def card(address: str, pci_id: str, **facts: object) -> Step:
    """A VGA controller."""
    return Step(address, pci_id, **{"class_": "0x030000", **facts})  # type: ignore[arg-type]


def put(root: Path, *way: Step) -> None:
    """A way below the host bridge, nested as the kernel nests it, and the flat folder of links to all of it."""
    links, drivers = root / "sys/bus/pci/devices", root / "sys/bus/pci/drivers"
    links.mkdir(parents=True, exist_ok=True)
    folder = root / "sys/devices/pci0000:00"
    for step in way:
        folder /= step.address
        vendor, device = step.pci_id.split(":")
        facts = {"class": step.class_, "vendor": f"0x{vendor}", "device": f"0x{device}"}
        facts |= {"max_link_speed": step.rate, "max_link_width": str(step.lanes)}
        facts |= {"boot_vga": "1"} if step.boot else {}
        if step.errors is not None:
            facts["aer_dev_correctable"] = f"BadTLP {step.errors}\nTOTAL_ERR_COR {step.errors}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in facts.items():
            (folder / name).write_text(text + "\n")
        if step.driver and not (folder / "driver").is_symlink():
            (drivers / step.driver).mkdir(parents=True, exist_ok=True)
            (folder / "driver").symlink_to(drivers / step.driver)
        if not (links / step.address).exists():
            (links / step.address).symlink_to(folder)


def put_served_by_nvidia(root: Path, address: str, minor: int, *, node: bool = True) -> None:
    """What NVIDIA's driver tells of a card that it has, and the device node."""
    information = root / "proc/driver/nvidia/gpus" / address / "information"
    information.parent.mkdir(parents=True)
    information.write_text(f"Model: \t\t NVIDIA\nDevice Minor: \t {minor}\n")
    if node:
        (root / "dev").mkdir(exist_ok=True)
        (root / f"dev/nvidia{minor}").touch()


def rtx_3090s(root: Path, *addresses: str, driver: str | None = "nvidia") -> None:
    """Each below a root port of its own, all of them as NVIDIA's driver has them."""
    for number, address in enumerate(addresses):
        put(root, Step(f"0000:00:{number + 1:02x}.0"), card(address, "10de:2204", driver=driver))
        if driver == "nvidia":
            put_served_by_nvidia(root, address, number)
