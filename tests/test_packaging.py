"""The way from a fresh clone to a running program: interpreter, system packages, exit codes, desktop files."""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from importlib.metadata import distributions, packages_distributions
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.version import __version__
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parent.parent
TOOLS = ("bash", "cat", "dirname", "env", "mkdir", "pwd", "readlink", "rm", "sha256sum", "touch", "awk", "echo")
ALL_LIBRARIES = """
libglib-2.0.so.0 libEGL.so.1 libGL.so.1 libdbus-1.so.3 libfontconfig.so.1 libxkbcommon.so.0 libxkbcommon-x11.so.0
libxcb-cursor.so.0 libxcb-icccm.so.4 libxcb-keysyms.so.1 libxcb-shape.so.0 libwayland-cursor.so.0
"""


class Machine:
    """A clone in a folder of its own, and a PATH on which only what we put there is found."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "clone"
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        shutil.copytree(ROOT / "packaging", self.clone / "packaging")
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, self.clone)
        self.bin.mkdir()
        for name in TOOLS:
            tool = shutil.which(name)
            assert tool, name
            (self.bin / name).symlink_to(tool)
        self.install(
            "ldconfig", "".join(f"echo '\t{name} (libc6,x86-64) => /usr/lib/x'\n" for name in ALL_LIBRARIES.split())
        )
        self.install("fc-list", "echo 'WenQuanYi Micro Hei'")
        self.install("id", "echo 1000")
        self.install("python3", "exit 0")

    def install(self, name: str, script: str, *, into: Path | None = None) -> None:
        """Puts a program on the machine; it notes its calls."""
        path = (into or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >> {self.calls}\n{script}\n')
        path.chmod(0o755)

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of the clone."""
        return subprocess.run(
            command,
            cwd=self.clone,
            env={"PATH": str(self.bin), "HOME": str(self.clone), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def called(self, name: str) -> list[str]:
        """The calls of a program so far."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if line.split()[0] == name]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# -- system packages ---------------------------------------------------------------------------------------------


def without(library: str) -> str:
    """What ldconfig says on a machine that lacks a library."""
    return "".join(f"echo '\t{name} (libc6,x86-64)'\n" for name in ALL_LIBRARIES.split() if name != library)


def test_a_complete_machine_is_left_alone_and_not_asked_again(machine: Machine) -> None:
    for _ in range(2):
        result = machine.run("packaging/system-packages.sh", "window")
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert len(machine.called("ldconfig")) == 1


def test_without_the_right_one_line_says_what_to_type(machine: Machine) -> None:
    machine.install("ldconfig", without("libxcb-cursor.so.0"))
    machine.install("apt-get", "exit 0")
    machine.install("sudo", "exit 1")
    for command in ("sudo apt-get install libxcb-cursor0", "su -c 'apt-get install libxcb-cursor0'"):
        result = machine.run("packaging/system-packages.sh", "window")
        assert result.returncode == 0
        assert result.stderr.splitlines() == [
            "Going on without system packages of the window. To add them, type:",
            f"  {command}",
        ]
        (machine.bin / "sudo").unlink(missing_ok=True)
    assert machine.called("apt-get") == []


@pytest.mark.parametrize("user", ["root", "sudo"])
def test_only_what_is_missing_is_installed(machine: Machine, user: str) -> None:
    machine.install("ldconfig", without("libEGL.so.1"))
    machine.install("apt-get", '[ "$DEBIAN_FRONTEND" = noninteractive ]')
    if user == "root":
        machine.install("id", "echo 0")
    else:
        machine.install("sudo", 'shift; "$@"')
    result = machine.run("packaging/system-packages.sh", "window")
    assert (result.returncode, result.stderr) == (0, "Installing system packages: libegl1\n")
    update, install = machine.called("apt-get")
    assert update.endswith(" update")
    assert re.search(r" install -y --no-install-recommends libegl1$", install)


def test_a_failed_installation_does_not_stop_the_start(machine: Machine) -> None:
    machine.install("ldconfig", without("libEGL.so.1"))
    machine.install("id", "echo 0")
    machine.install("apt-get", "exit 100")
    result = machine.run("packaging/system-packages.sh", "window")
    assert result.returncode == 0
    assert result.stderr.endswith("To add them, type:\n  apt-get install libegl1\n")


def test_another_distribution_is_told_what_is_missing(machine: Machine) -> None:
    machine.install("ldconfig", without("libGL.so.1"))
    machine.install("fc-list", "")
    result = machine.run("packaging/system-packages.sh", "window")
    assert result.returncode == 0
    assert "This system lacks what Debian calls: libgl1 fonts-wqy-microhei." in result.stderr


def test_the_tests_need_a_virtual_screen_too(machine: Machine) -> None:
    result = machine.run("packaging/system-packages.sh", "test")
    assert "xvfb xdotool gcc g++ poppler-utils" in result.stderr
    for name in ("Xvfb", "xdotool", "gcc", "g++", "pdftotext"):
        machine.install(name, "exit 0")
    assert "xvfb" not in machine.run("packaging/system-packages.sh", "test").stderr


WITHOUT_VENV = """case "$*" in
    *"version_info <"*) ;; *version_info*) echo 3.11 ;; *ensurepip*) exit 1 ;; *pip*) exit 1 ;; *venv*) exit 1 ;;
esac"""


def test_an_interpreter_that_makes_no_environments_brings_its_package(machine: Machine) -> None:
    machine.install("python3", WITHOUT_VENV)
    result = machine.run("packaging/system-packages.sh", "window")
    assert "python3.11-venv" in result.stderr


def test_an_environment_that_was_left_half_made_does_not_count(machine: Machine) -> None:
    machine.install("python3", WITHOUT_VENV)
    machine.install("python", "exit 1", into=machine.clone / ".venv/bin")
    assert "python3.11-venv" in machine.run("packaging/system-packages.sh", "window").stderr


def test_the_systems_pip_serves_where_the_environments_own_is_missing(machine: Machine) -> None:
    machine.install("python3", WITHOUT_VENV.replace("pip*) exit 1", "pip*) exit 0"))
    assert machine.run("packaging/system-packages.sh", "window").stderr == ""


# -- interpreter -------------------------------------------------------------------------------------------------

TOO_OLD = 'if [ "$1" = --version ]; then echo Python 3.10.12; else exit 1; fi'


def test_the_first_interpreter_that_is_new_enough_is_taken(machine: Machine) -> None:
    machine.install("python3", TOO_OLD)
    machine.install("python3.12", "exit 0")
    assert machine.run("packaging/find-python.sh").stdout == f"{machine.bin}/python3.12\n"


def test_the_chosen_interpreter_is_taken_or_refused(machine: Machine) -> None:
    machine.install("python3.12", "exit 0")
    assert machine.run("packaging/find-python.sh", PYTHON="python3.12").stdout == f"{machine.bin}/python3.12\n"
    machine.install("python3.10", TOO_OLD)
    refused = machine.run("packaging/find-python.sh", PYTHON="python3.10")
    assert refused.returncode == 3
    assert "Rigwright needs Python 3.11 or newer (Python 3.10.12)." in refused.stderr


def test_without_an_interpreter_one_sentence_says_so(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    refused = machine.run("packaging/prepare.sh", "run")
    assert refused.returncode == 3
    assert refused.stderr == (
        "Rigwright needs Python 3.11 or newer (python3 is not there). "
        "Install one and name it, for example: make run PYTHON=python3.11\n"
    )


def test_an_interpreter_that_makes_no_environments_is_named_with_the_command_to_type(machine: Machine) -> None:
    machine.install("python3", WITHOUT_VENV)
    machine.install("apt-get", "exit 0")
    machine.install("sudo", "exit 1")
    for _ in range(2):
        refused = machine.run("packaging/prepare.sh", "run")
        assert refused.returncode == 3
        assert refused.stderr.splitlines()[-1] == (
            f"{machine.bin}/python3 cannot make an environment. Type this, then try again: "
            "sudo apt-get install python3.11-venv"
        )
        assert not (machine.clone / ".venv").exists()


# -- environment -------------------------------------------------------------------------------------------------


@pytest.fixture
def prepared(machine: Machine) -> Machine:
    """A machine whose interpreter makes environments with a stand-in for pip and for the program."""
    environment = machine.clone / ".venv/bin"
    machine.install("python-of-venv", f'case "$*" in *sys.prefix*) echo {machine.clone}/.venv ;; esac')
    machine.install(
        "python3",
        f'[ "$2" = venv ] || exit 0; mkdir -p {environment}; ln -sf {machine.bin}/python-of-venv {environment}/python; '
        f"ln -sf {machine.bin}/rigwright {environment}/rigwright",
    )
    machine.install("ln", f'exec {shutil.which("ln")} "$@"')
    machine.install("rigwright", 'exit "${CODE:-0}"')
    return machine


def installs(machine: Machine) -> list[str]:
    """What pip was asked to install."""
    return [call.split()[-1] for call in machine.called("python-of-venv") if " pip " in call]


def test_the_second_preparation_does_nothing(prepared: Machine) -> None:
    first = prepared.run("packaging/prepare.sh", "run")
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr == "Preparing the environment in .venv (first time: a few minutes) ...\n"
    assert installs(prepared) == ["editables", "."]
    second = prepared.run("packaging/prepare.sh", "run")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert installs(prepared) == ["editables", "."]


def test_the_environment_of_the_tests_serves_the_program_too(prepared: Machine) -> None:
    prepared.run("packaging/prepare.sh", "run")
    prepared.run("packaging/prepare.sh", "dev")
    prepared.run("packaging/prepare.sh", "run")
    assert installs(prepared) == ["editables", ".", "editables", ".[dev]"]


@pytest.mark.parametrize("changed", ["pyproject.toml", "packaging/constraints.txt"])
def test_changed_requirements_are_installed(prepared: Machine, changed: str) -> None:
    prepared.run("packaging/prepare.sh", "run")
    with (prepared.clone / changed).open("a") as stream:
        stream.write("# changed\n")
    prepared.run("packaging/prepare.sh", "run")
    assert installs(prepared) == ["editables", "."] * 2


def test_an_installation_that_fails_is_tried_again(prepared: Machine) -> None:
    prepared.install("python-of-venv", "exit 1")
    failed = prepared.run("packaging/prepare.sh", "run")
    assert failed.returncode == 3
    assert "The packages could not be installed" in failed.stderr
    assert prepared.run("packaging/prepare.sh", "run").returncode == 3


# -- starting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 3, 4])
def test_the_start_script_ends_with_the_programs_code(prepared: Machine, code: int) -> None:
    result = prepared.run("packaging/run.sh", "check", "my build.rig.json", CODE=str(code))
    assert result.returncode == code
    assert prepared.called("rigwright") == ["rigwright check my build.rig.json"]


def test_make_run_passes_the_arguments_and_says_the_code(prepared: Machine) -> None:
    make = shutil.which("make")
    assert make
    result = prepared.run(make, "run", "ARGS=check build.rig.json", CODE="4", SHELL=str(prepared.bin / "bash"))
    assert prepared.called("rigwright") == ["rigwright check build.rig.json"]
    assert result.returncode == 2
    assert "rigwright ended with code 4." in result.stderr
    assert prepared.run(make, "run").returncode == 0


def test_make_alone_lists_the_targets(machine: Machine) -> None:
    make = shutil.which("make")
    assert make
    listed = machine.run(make).stdout
    for target in ("run", "test", "lint", "bench", "clean", "prepare"):
        assert f"make {target} " in listed


def test_ci_runs_the_tests_as_a_person_would() -> None:
    assert (ROOT / ".ci/run").read_text().splitlines()[-1] == "exec make test"
    assert os.access(ROOT / ".ci/run", os.X_OK)


# -- metadata ----------------------------------------------------------------------------------------------------


def test_every_requirement_is_pinned() -> None:
    required = _project()["dependencies"] + _project()["optional-dependencies"]["dev"]
    required += _toml()["build-system"]["requires"]
    names = {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in required}
    assert {_normal(name) for name in names} - set(_pins()) == set()


def test_every_pin_is_required_by_something_installed() -> None:
    required = {
        _normal(re.split(r"[<>=!~\[;( ]", requirement)[0])
        for package in distributions()
        for requirement in package.requires or []
    }
    assert set(_pins()) - required - {"editables", "hatchling"} == set()  # those two build it


_USE = r"^\s*(?:from|import) (\w+)|find_spec\(\"(\w+)\"\)"
"""What is imported, and the package whose files alone are read."""


def test_every_package_that_the_program_imports_is_required_by_it() -> None:
    imported = {
        module
        for package in ("core", "gui")
        for path in (ROOT / package).rglob("*.py")
        for names in re.findall(_USE, path.read_text(encoding="utf-8"), re.MULTILINE)
        for module in names
        if module
    }
    providers = packages_distributions()
    needed = {_normal(name) for module in imported for name in providers.get(module, [])} - {"rigwright"}
    required = {_normal(re.split(r"[<>=!~\[; ]", wish)[0]) for wish in _project()["dependencies"]}
    # pyqtgraph loads what Qt binding there is; the binding's own parts come together.
    assert needed - {"shiboken6"} == required


def _toml() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def _project() -> dict[str, Any]:
    return _toml()["project"]


def test_torch_is_pinned_without_a_build_so_that_the_index_chooses() -> None:
    assert "+" not in _pins()["torch"]


def _pins() -> Mapping[str, str]:
    lines = (ROOT / "packaging/constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {_normal(name): version for name, version in pins}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_desktop_files_fit_each_other_and_the_program() -> None:
    component = ElementTree.parse(next((ROOT / "packaging").glob("*.metainfo.xml"))).getroot()
    desktop = (ROOT / "packaging/rigwright.desktop").read_text()
    assert component.findtext("launchable") == "rigwright.desktop"
    assert f"Icon={component.findtext('id')}" in desktop
    assert (ROOT / f"assets/icons/{component.findtext('id')}.svg").is_file()
    assert f"Comment={component.findtext('summary')}" in desktop
    newest = component.find("releases/release")
    assert newest.get("version") == __version__
    assert _project()["dynamic"] == ["version"]
    assert component.findtext("project_license") == _project()["license"]
