"""The data folder: made if missing, usable by several programs at once, refused in a sentence."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.platform.errors import EnvironmentProblem
from core.platform.paths import data_dir


def test_a_missing_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    folder = data_dir(tmp_path / "my data" / "数据")
    assert folder.is_dir()
    assert list(folder.iterdir()) == []


def test_programs_that_start_at_the_same_moment_do_not_disturb_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(data_dir, [tmp_path / "data"] * 400))
    assert set(folders) == {tmp_path / "data"}


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/data"])
def test_a_folder_that_cannot_be_used_is_refused_with_the_way_out(place: str) -> None:
    with pytest.raises(EnvironmentProblem, match="--data-dir"):
        data_dir(Path(place))
