"""Rigwright without a window: parts, builds, rules, predictions, burn-in and reports.

    from core import api

    build = api.load("six-rtx-3090-quiet")       # a build file, or a template by its name
    for finding in api.check(build):
        print(finding.status, finding.message)
    print(api.predict(build).noise_load)         # a band of low, expected and high, in dBA
    run = api.burn(simulate="2x3090")            # without `simulate`: the GPUs of this machine
    print(run.outcome)
    api.write_report(run, "acceptance.pdf")

What each takes, returns and raises: `help(api)`.
"""

from core.version import __version__

__all__ = ["__version__"]
