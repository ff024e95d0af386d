#!/usr/bin/env bash
# Measures the cards at hand and writes a page of each under measured/; passes its arguments on. Needs no network.
# Takes the interpreter that PYTHON names, else .venv, else any that has PyTorch; makes .venv only where none has it.
# Ends with 0 when all was done, 1 when a part failed, 4 when one was not run, 3 without a card.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. packaging/search-path.sh

has_torch() {
    "$1" -c '
import importlib.util, sys
sys.exit(sys.version_info < (3, 11) or importlib.util.find_spec("torch") is None)' 2>/dev/null
}

has_driver() {
    [[ -e /dev/nvidiactl || -e /proc/driver/nvidia/version || -e /dev/dxg ]] || command -v nvidia-smi > /dev/null
}

found=
for candidate in ${PYTHON:-} .venv/bin/python python3 python3.13 python3.12 python3.11; do
    if has_torch "$candidate"; then
        found=$candidate
        break
    fi
done
if [[ -z $found ]]; then
    if ! has_driver; then
        echo "No card was measured: there is no NVIDIA driver on this machine." >&2
        exit 3
    fi
    if ! packaging/prepare.sh dev; then
        echo "No card was measured: no Python here has PyTorch. Name one that has it: make gpu PYTHON=python3.12" >&2
        exit 3
    fi
    found=.venv/bin/python
fi
# The program is run as it lies here, whatever of it that interpreter may have installed.
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec "$found" -m core.lab.measure "$@"
