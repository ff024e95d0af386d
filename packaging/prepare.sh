#!/usr/bin/env bash
# Makes the environment in .venv: prepare.sh run, or prepare.sh dev for the tests as well.
# Does nothing when the last preparation still holds; needs no network then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=${1:?run or dev}
case $kind in
    run) what=. ;;
    dev) what='.[dev]' ;;
    *) echo "prepare.sh: run or dev, not $kind" >&2; exit 2 ;;
esac

# What the environment depends on: the folder (its scripts name it), the interpreter asked for, and the two files.
state="$PWD ${PYTHON:-} $(cat pyproject.toml packaging/constraints.txt | sha256sum)"
stamp=.venv/.prepared

is_prepared() {
    [[ -x .venv/bin/rigwright && -f $stamp ]] || return 1
    local line
    mapfile -t line < "$stamp"
    [[ ${line[1]:-} == "$state" && (${line[0]} == "$kind" || ${line[0]} == dev) ]]
}

is_usable() {
    local home
    home=$(.venv/bin/python -c 'import pip, sys; print(sys.prefix)' 2>/dev/null) || return 1
    [[ $home == "$PWD/.venv" && ( -z ${PYTHON:-} || $(version .venv/bin/python) == "$(version "$PYTHON")" ) ]]
}

version() {
    "$1" -c 'import sys; print(sys.version_info[:2])' 2>/dev/null
}

# Debian keeps venv's pip in a package of its own; the system's pip serves as well, where it is there.
make_environment() {
    if "$python" -c 'import ensurepip' 2>/dev/null; then
        "$python" -m venv --clear .venv
    elif "$python" -m pip --version > /dev/null 2>&1; then
        "$python" -m venv --clear --without-pip .venv &&
            "$python" -m pip --python .venv/bin/python --disable-pip-version-check --quiet install pip
    else
        return 1
    fi
}

cannot_make_environment() {
    local package
    rm -rf .venv
    if command -v apt-get > /dev/null; then
        package="python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"
        echo "$python cannot make an environment. Type this, then try again: $(packaging/apt-command.sh "$package")" >&2
    else
        echo "$python cannot make an environment. Install Python's venv and pip, then try again." >&2
    fi
    exit 3
}

is_prepared && exit

python=$(packaging/find-python.sh)
echo "Preparing the environment in .venv (first time: a few minutes) ..." >&2
rm -f "$stamp"
if ! is_usable; then
    make_environment || cannot_make_environment
fi
pip=(.venv/bin/python -m pip --disable-pip-version-check install --constraint packaging/constraints.txt)
[[ -t 2 ]] || pip+=(--quiet) # at a terminal a person wants to see several GB come in
# The build tool comes from the tested set too, instead of whatever is newest today.
if ! { "${pip[@]}" hatchling editables && "${pip[@]}" --no-build-isolation --editable "$what"; }; then
    echo "The packages could not be installed: see pip's message above. Check the network and the PIP_* settings." >&2
    exit 3
fi
printf '%s\n' "$kind" "$state" > "$stamp"
