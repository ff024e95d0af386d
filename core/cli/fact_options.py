"""The options that tell about a run: of `burn` before it, of `facts` afterwards."""

from __future__ import annotations

from typing import Annotated

import typer

from core.words import tr

Customer = Annotated[str | None, typer.Option(help=tr("For the certificate: the customer."))]
Order = Annotated[str | None, typer.Option("--order", help=tr("For the certificate: the order number."))]
MachineSerial = Annotated[str | None, typer.Option(help=tr("For the certificate: serial number of the machine."))]
Tester = Annotated[str | None, typer.Option(help=tr("For the certificate: who tested it."))]
Place = Annotated[str | None, typer.Option("--place", help=tr("For the certificate: where it was tested."))]
RoomTemperature = Annotated[
    float | None,
    typer.Option(min=-40, max=80, help=tr("For the certificate: the room temperature as read by somebody, °C.")),
]
Circuit = Annotated[str | None, typer.Option(help=tr('For the certificate: the mains circuit, such as "230 V, 16 A".'))]
