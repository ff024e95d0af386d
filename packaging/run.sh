#!/usr/bin/env bash
# Prepares the environment and starts Rigwright; ends with its exact code (make can only end with 0 or 2).
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$here/search-path.sh"

"$here/system-packages.sh" window
"$here/prepare.sh" run
exec "$here/../.venv/bin/rigwright" "$@"
