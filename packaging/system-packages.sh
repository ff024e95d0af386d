#!/usr/bin/env bash
# Installs what the window (system-packages.sh window) or the tests (system-packages.sh test) need from the system.
# Looks for the libraries themselves, since package names differ between releases. Only installs what is missing, and
# only as root or where sudo asks nothing; otherwise it says what to type. Never stops the caller.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:/sbin:/usr/sbin"

# Debian's and Ubuntu's package, and the library that shows it is there. Newer releases provide the old names.
window_libraries=(
    libglib2.0-0:libglib-2.0.so.0
    libegl1:libEGL.so.1
    libgl1:libGL.so.1
    libdbus-1-3:libdbus-1.so.3
    libfontconfig1:libfontconfig.so.1
    libxkbcommon0:libxkbcommon.so.0
    libxkbcommon-x11-0:libxkbcommon-x11.so.0
    libxcb-cursor0:libxcb-cursor.so.0
    libxcb-icccm4:libxcb-icccm.so.4
    libxcb-keysyms1:libxcb-keysyms.so.1
    libxcb-shape0:libxcb-shape.so.0
    libwayland-cursor0:libwayland-cursor.so.0
)
test_programs=(xvfb:Xvfb xdotool:xdotool gcc:gcc g++:g++ poppler-utils:pdftotext)

group=${1:?window or test}
case $group in
    window | test) ;;
    *) echo "system-packages.sh: window or test, not $group" >&2; exit 2 ;;
esac

missing() {
    local row known
    known=$(ldconfig -p 2>/dev/null) || known=
    for row in "${window_libraries[@]}"; do
        [[ $known == *"${row#*:} "* ]] || echo "${row%%:*}"
    done
    has_chinese_font || echo fonts-wqy-microhei
    missing_python_venv
    [[ $group == test ]] || return 0
    for row in "${test_programs[@]}"; do
        command -v "${row#*:}" > /dev/null || echo "${row%%:*}"
    done
    [[ -f /usr/include/stdio.h ]] || echo libc6-dev
}

has_chinese_font() {
    if command -v fc-list > /dev/null; then
        [[ -n $(fc-list :lang=zh family) ]]
    else
        compgen -G '/usr/share/fonts/*/*/*wqy*' > /dev/null
    fi
}

missing_python_venv() {
    local python version
    .venv/bin/python -c 'import pip' 2>/dev/null && return
    python=$(packaging/find-python.sh 2>/dev/null) || return 0
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    "$python" -c 'import ensurepip' 2>/dev/null || "$python" -m pip --version > /dev/null 2>&1 ||
        echo "python$version-venv"
}

install() {
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
    if [[ $(id -u) != 0 ]]; then
        sudo -n true 2>/dev/null || return 1
        apt=(sudo -n "${apt[@]}")
    fi
    echo "Installing system packages: $*" >&2
    "${apt[@]}" update < /dev/null > /dev/null || true
    "${apt[@]}" install -y --no-install-recommends "$@" < /dev/null > /dev/null
}

# The answer holds until this script or the environment changes.
stamp=.venv/.system-$group
[[ -f $stamp && $stamp -nt packaging/system-packages.sh ]] && exit

mapfile -t packages < <(missing)
if ((${#packages[@]} > 0)); then
    if ! command -v apt-get > /dev/null; then
        echo "This system lacks what Debian calls: ${packages[*]}. Install their like for the $group to work." >&2
        exit
    fi
    if ! install "${packages[@]}"; then
        echo "Going on without system packages of the $group. To add them, type:" >&2
        echo "  $(packaging/apt-command.sh "${packages[@]}")" >&2
        exit
    fi
fi
mkdir -p .venv
touch "$stamp"
