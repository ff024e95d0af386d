"""What the window calls the controls that messages name as commands do: "--room", "rigwright runs"."""

from __future__ import annotations

from core.language import plain, tr

CONTROLS = {
    name: plain("\N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK}", words=words)
    for name, words in {
        "--background": tr("the background"),
        "--case-air": tr("the intake air of the cards"),
        "--coolant": tr("the coolant at the water blocks"),
        "--currency": tr("Currency of rows without one"),
        "--devices": tr("Devices"),
        "--distance": tr("its distance"),
        "--offset": tr("Shift the file's times by"),
        "--rated": tr("Rated power of the UPS"),
        "--room": tr("the room temperature"),
        "--simulate": tr("Simulate…"),
        "--slots": tr("the slots"),
        "--sound": tr("the sound level"),
        "--wall": tr("Wall meter"),
        "rigwright forget": tr("Delete…"),
        "rigwright runs": tr("Runs"),
        "rigwright stop": tr("Stop"),
        "rigwright watch": tr("Burn-in"),
    }.items()
}
"""What has no name in the window, such as another data folder, stays as commands have it."""
