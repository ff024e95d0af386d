#!/usr/bin/env bash
# Builds dist/rigwright_VERSION_ARCH.deb for the release of Debian or Ubuntu that it runs on: deb.sh [FOLDER].
# The package brings its Python libraries for the release's own Python, since most of them are not packaged there. It
# brings no PyTorch (gigabytes, and a matter of the driver): the program finds that in the user's environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:-dist}
python=/usr/bin/python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "A package takes the release's own Python, $python, of 3.11 or newer. This release has none." >&2
    exit 3
}
for tool in dpkg-deb git; do
    command -v "$tool" > /dev/null || { echo "$tool is missing: $(packaging/apt-command.sh "${tool/-deb/}")" >&2; exit 3; }
done
series=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
next=${series%.*}.$((${series#*.} + 1))
architecture=$(dpkg --print-architecture)
release=$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
version="$("$python" -c 'exec(open("core/version.py").read()); print(__version__)')-1~$release"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
root=$stage/root
base=$root/usr/lib/rigwright

install -d "$base/program" "$base/libraries"
git archive HEAD core gui assets LICENSE | tar -x -C "$base/program"
rm -rf "$base/program/assets/screenshots"
echo "$series" > "$base/python-version"

echo "Gathering the libraries for Python $series ..." >&2
if "$python" -c 'import ensurepip' 2> /dev/null; then
    "$python" -m venv "$stage/venv"
else
    "$python" -m venv --without-pip "$stage/venv"
    "$python" -m pip --python "$stage/venv/bin/python" --quiet install pip
fi
"$stage/venv/bin/python" - > "$stage/wanted" << 'END'
import tomllib

with open("pyproject.toml", "rb") as file:
    wanted = tomllib.load(file)["project"]["dependencies"]
print(*(line for line in wanted if not line.startswith("torch")), sep="\n")
END
"$stage/venv/bin/python" -m pip --disable-pip-version-check --quiet install --no-compile --target "$base/libraries" \
    --constraint packaging/constraints.txt --requirement "$stage/wanted"
# What no program of ours loads: pip, which sqlite-utils names; Qt Quick, Qt's tools, headers and stubs; the libraries' own
# tests; languages that the program does not speak.
cd "$base/libraries"
rm -rf bin share pip pip-*.dist-info example.py PySide6/{include,glue,typesystems,doc,scripts,support,lib}
rm -rf PySide6/{*.pyi,assistant,designer,linguist,lrelease,lupdate,qmlls,qmlformat,qmllint,svgtoqml,balsam,balsamui}
rm -rf PySide6/Qt{Quick,Qml,Designer,Help,UiTools}*.so PySide6/Qt/{qml,libexec,metatypes,plugins/{qmltooling,qmllint,qmlls,sqldrivers,designer}}
rm -rf PySide6/Qt/lib/libQt6{Quick,Qml,Labs,Designer,Help,UiTools,WaylandCompositor,EglFS}*
find PySide6/Qt/translations -name '*.qm' ! -name '*_en.qm' ! -name '*_de.qm' ! -name '*_zh_*.qm' -delete
find babel/locale-data -name '*.dat' ! -name 'root.dat' ! -name 'en*.dat' ! -name 'de*.dat' ! -name 'zh*.dat' -delete
find . -type d -name tests -prune -exec rm -rf {} +
cd - > /dev/null

install -D -m 755 packaging/debian/rigwright "$root/usr/bin/rigwright"
install -D -m 644 packaging/rigwright.desktop "$root/usr/share/applications/rigwright.desktop"
install -D -m 644 packaging/io.github.rigwright.Rigwright.metainfo.xml \
    "$root/usr/share/metainfo/io.github.rigwright.Rigwright.metainfo.xml"
icon=assets/icons/io.github.rigwright.Rigwright.svg
icons=$root/usr/share/icons/hicolor/scalable
install -D -m 644 "$icon" "$icons/apps/io.github.rigwright.Rigwright.svg"
install -D -m 644 "$icon" "$icons/mimetypes/application-vnd.rigwright.build+json.svg"
install -D -m 644 packaging/debian/mime.xml "$root/usr/share/mime/packages/rigwright.xml"
# Python's bytecode is made where it is installed, as Debian's own packages do, and goes with the package.
install -d "$root/DEBIAN"
install -m 755 packaging/debian/{postinst,prerm} "$root/DEBIAN"
documents=$root/usr/share/doc/rigwright
install -D -m 644 README.md "$documents/README.md"
install -D -m 644 LICENSE "$documents/copyright"
gzip -9n < CHANGELOG.md > "$documents/changelog.gz"

cat > "$root/DEBIAN/control" << END
Package: rigwright
Version: $version
Architecture: $architecture
Maintainer: Rigwright <maintainers@rigwright.invalid>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: python3 (>= $series), python3 (<< $next), libglib2.0-0 | libglib2.0-0t64, libegl1, libgl1, libdbus-1-3,
 libfontconfig1, libxkbcommon0, libxkbcommon-x11-0, libxcb-cursor0, libxcb-icccm4, libxcb-keysyms1, libxcb-shape0,
 libwayland-cursor0
Recommends: python3-venv, fonts-wqy-microhei | fonts-noto-cjk
Section: utils
Priority: optional
Description: plan, check, burn in and accept multi-GPU workstations
 Puts a workstation for deep learning together from a local parts database and checks that it fits, is fed, wired,
 cooled and quiet. Then loads every GPU with work whose results are verified, while temperatures, power and
 throughput are plotted, and writes reports and a certificate.
 .
 PyTorch is not part of the package: it is found in the user's environment.
END
mkdir -p "$out"
dpkg-deb --root-owner-group -Zgzip -z6 --build "$root" "$out/rigwright_${version}_$architecture.deb" > /dev/null
echo "$out/rigwright_${version}_$architecture.deb"
