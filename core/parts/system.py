"""A complete machine that is sold as one: what it contains, or, where nothing of it is sold alone, its own figures."""

from __future__ import annotations

from typing import Annotated, Literal

from core.parts.compute import ports_words
from core.parts.figure import Discontinued, Figure, Unless, WordedValue
from core.parts.values import Few, NoisePoint, Positive, Rows, Value, Whole
from core.parts.vocabulary import Category, SystemKind
from core.words import trn

_SEALED = Unless("kind", (SystemKind.COMPLETE, SystemKind.BAREBONE))
_OF_PARTS = Unless("kind", (SystemKind.SEALED,))


class Included(Value):
    """A part of the catalogue that the system contains."""

    part: str
    """Its id."""
    count: Few = 1


class SystemSpec(Value):
    """One machine with one price. Its parts enter the build beside it, and its price is theirs."""

    category: Literal[Category.SYSTEM] = Category.SYSTEM
    kind: Annotated[SystemKind | None, Figure(decides=True, short=1)] = None
    includes: Annotated[
        Rows[Included],
        Figure(
            "included parts",
            decides=_OF_PARTS,
            short=(6, WordedValue(lambda rows: trn("{count} kind of part", "{count} kinds of parts", count=len(rows)))),
        ),
    ] = ()
    """Empty where nothing of it is sold by itself."""
    product: Annotated[str | None, Figure(decides=_SEALED, short=2)] = None
    """The chip that computes: "GB10", "Ryzen AI Max+ 395"."""
    memory_gb: Annotated[Positive | None, Figure(within=(4, 4096), decides=_SEALED, short=3)] = None
    """That CPU and GPU share; of a system with GPU memory of its own, that of the CPU."""
    gpu_memory_gb: Annotated[Positive | None, Figure(within=(4, 4096))] = None
    """Beside the other memory, or the most of the shared one that its firmware gives the GPU."""
    memory_bandwidth_gbps: Annotated[Positive | None, Figure(within=(20, 10000), decides=_SEALED, short=4)] = None
    """Of the memory that the GPU computes in, GB/s."""
    memory_type: str | None = None
    cores: Annotated[Whole | None, Figure(within=(1, 400))] = None
    fp16_tensor_tflops: Annotated[Positive | None, Figure(within=(5, 10000))] = None
    """Dense."""
    capacity_gb: Annotated[Positive | None, Figure(within=(8, 300000))] = None
    ports: Annotated[Whole | None, Figure(within=(1, 8))] = None
    port_gbit: Annotated[Positive | None, Figure("port speed", within=(0.1, 800), short=(5, ports_words))] = None
    psu_w: Annotated[Positive | None, Figure("PSU of its own", within=(30, 20000), decides=_SEALED)] = None
    idle_power_w: Annotated[Positive | None, Figure(within=(1, 2000))] = None
    load_power_w: Annotated[Positive | None, Figure(within=(10, 20000))] = None
    """What the whole machine draws from the wall while its GPU works, W."""
    noise: Rows[NoisePoint] = ()
    height_mm: Annotated[Positive | None, Figure(within=(20, 1200))] = None
    width_mm: Annotated[Positive | None, Figure(within=(40, 900))] = None
    depth_mm: Annotated[Positive | None, Figure(within=(40, 1300))] = None
    mass_g: Annotated[Positive | None, Figure(within=(200, 200000))] = None
    discontinued: Discontinued = None

    @property
    def lacks_nothing(self) -> bool:
        """Whether nothing has to be chosen for it to run."""
        return self.kind in (SystemKind.SEALED, SystemKind.COMPLETE)
