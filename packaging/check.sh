#!/usr/bin/env bash
# Lint, types and the tests of what changed, nearest first, for 35 s: for daily work. `make test` runs all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen} PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH}
seconds=${CHECK_SECONDS:-35}
bin=.venv/bin

"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
"$bin/lint-imports" > /dev/null || "$bin/lint-imports"

mapfile -t tests < <("$bin/python" -m tests.changed)
if ((${#tests[@]} == 0)); then
    echo "No test can notice what changed."
    exit
fi
echo "What changed can break ${#tests[@]} test files; the nearest come first:"
printf '  %s\n' "${tests[@]:0:8}"
complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT
code=0
timeout --signal=INT --kill-after=10 "$seconds" "$bin/python" -m pytest --exitfirst -n logical --maxprocesses 4 \
    --dist loadfile --no-loadscope-reorder --max-worker-restart=0 -m "not (process or journey or soak or fuzz)" \
    "${tests[@]}" < /dev/null 2> "$complaints" || code=$? # where time is over, workers complain of the interruption
case $code in
    0) echo "All of them passed but those with processes and a real window, which make test runs." ;;
    5) echo "All of them start processes or a real window: make test runs them." ;;
    124 | 137) echo "$seconds s are over; what ran passed. make test runs the rest." ;;
    *)
        cat "$complaints" >&2
        exit "$code"
        ;;
esac
