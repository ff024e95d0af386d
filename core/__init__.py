"""Rigwright without a window: parts, builds, rules, predictions, burn-in and reports.

    from core import api

    build = api.load("six-rtx-3090-quiet")       # a build file or the name of a template
    for finding in api.check(build):
        print(finding.status, finding.message)
    print(api.predict(build).noise_load)         # a band in dBA: low, expected, high
    run = api.burn(simulate="2x3090")            # without `simulate`: the GPUs of this machine
    print(run.outcome)
    api.write_report(run, "acceptance.pdf")

`help(api)` documents arguments, results and exceptions.
"""

from core.version import __version__

__all__ = ["__version__"]
