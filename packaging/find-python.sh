#!/usr/bin/env bash
# Prints the interpreter to build the environment with: $PYTHON, or the first python3 that is new enough.
set -euo pipefail

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

if [[ -n ${PYTHON:-} ]]; then
    candidates=("$PYTHON")
else
    candidates=(python3 python3.13 python3.12 python3.11)
fi
for candidate in "${candidates[@]}"; do
    if new_enough "$candidate"; then
        command -v "$candidate"
        exit
    fi
done

found=$("${candidates[0]}" --version 2>&1) || found="${candidates[0]} is not there"
echo "Rigwright needs Python 3.11 or newer ($found). Install one and name it, for example: make run PYTHON=python3.11" >&2
exit 3
