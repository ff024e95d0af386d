#!/usr/bin/env bash
# Prints what a person types on Debian or Ubuntu to install the packages named: apt-command.sh PACKAGE...
set -euo pipefail

command="apt-get install $*"
if [[ $(id -u) == 0 ]]; then
    echo "$command"
elif command -v sudo > /dev/null; then
    echo "sudo $command"
else
    echo "su -c '$command'"
fi
