"""What a process has loaded is told by path and digest, as the kernel maps it, and kept with the run."""

import json
import subprocess
import sys
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import torch

from core.burnin.record.origin import LONGEST, MOST, LoadedLibraries
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run
from core.platform.child_reports import read_report
from core.platform.libraries import Library, imported_package, loaded_libraries
from tests.burnin.test_store import record_run


def test_a_library_of_the_driver_is_found_where_it_is_mapped(tmp_path: Path) -> None:
    library = tmp_path / "a folder" / "libnvidia-ml.so.1"
    library.parent.mkdir()
    library.write_bytes(b"a driver")
    maps = tmp_path / "maps"
    maps.write_text(
        "7f00-7f01 r--p 00000000 08:01 1234                       /usr/lib/libc.so.6\n"
        f"7f02-7f03 r-xp 00000000 08:01 1235                       {library}\n"
        f"7f04-7f05 r--p 00000000 08:01 1235                       {library}\n"
        "7f06-7f07 r--p 00000000 08:01 1236                       /gone/libcuda.so.535.1 (deleted)\n"
        "7f08-7f09 rw-p 00000000 00:00 0\n"
    )
    digests = {str(library): sha256(b"a driver").hexdigest(), "/gone/libcuda.so.535.1 (deleted)": ""}
    assert loaded_libraries(maps) == [Library(path, digests[path]) for path in sorted(digests)]
    assert loaded_libraries(tmp_path / "no such file") == []


def test_the_version_of_pytorch_and_its_list_of_files_are_reported() -> None:
    record = metadata.distribution("torch").read_text("RECORD")
    package = imported_package("torch")
    assert (package.version, package.path) == (torch.__version__, torch.__file__)
    assert package.record_sha256 == sha256(record.encode()).hexdigest()
    assert imported_package("no_such_module") is None


def test_a_module_that_stands_before_the_real_one_does_not_get_its_digest(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.8.0'\n")
    code = "import json, torch; from core.platform.libraries import as_told; print(json.dumps(as_told()))"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    [package] = json.loads(ended.stdout)["packages"]
    assert (package["version"], package["record_sha256"]) == ("2.8.0", "")
    assert package["path"] == str(tmp_path / "torch.py")


def test_what_a_process_told_is_kept_sealed_and_read_back(store: RunStore) -> None:
    run_id = record_run(store)
    loaded = LoadedLibraries.from_message(
        "worker", "SIM-0", {"libraries": [{"path": "/lib/libcuda.so.1", "sha256": "ab"}]}
    )
    store.add_libraries(run_id, 3, loaded)
    assert store.libraries(run_id) == [loaded]
    assert check_run(store, run_id).state is SealState.UNSIGNED
    store._db.execute("UPDATE libraries SET told = replace(told, 'libcuda', 'libcudb')")
    assert check_run(store, run_id).state is SealState.CHANGED


def test_nonsense_of_a_child_is_cut_to_size() -> None:
    loaded = LoadedLibraries.from_message(
        "worker", "SIM-0", {"libraries": [{"path": "x" * 5000, "sha256": 7}] * 500, "packages": "torch"}
    )
    assert (len(loaded.libraries), len(loaded.libraries[0].path), loaded.libraries[0].sha256) == (MOST, LONGEST, "")
    assert loaded.packages == ()
    assert read_report('{"type": "libraries", "libraries": "torch"}') is None
    assert read_report('{"type": "libraries", "libraries": [{}], "packages": []}') is not None
