from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from paparatsd.errors import BadSettings
from paparatsd.locations import KINDS, MAX_SOCKET_PATH_BYTES, prepare_places, resolve_places
from paparatsd.settings import Places

HOME = {"HOME": "/nonexistent/me"}


def places_in(root: Path) -> Places:
    return Places(root / "config", root / "state", root / "cache", root / "run", root / "data")


def test_the_xdg_defaults_hold_without_any_variable() -> None:
    places = resolve_places(HOME)
    assert places.config == Path("/nonexistent/me/.config/paparatsd")
    assert places.state == Path("/nonexistent/me/.local/state/paparatsd")
    assert places.cache == Path("/nonexistent/me/.cache/paparatsd")
    assert places.runtime == Path("/nonexistent/me/.local/state/paparatsd/run")
    assert places.data == Path("/nonexistent/me/.local/share/paparatsd")


def test_the_xdg_variables_move_the_directories() -> None:
    environment = {
        **HOME,
        "XDG_CONFIG_HOME": "/c",
        "XDG_STATE_HOME": "/s",
        "XDG_CACHE_HOME": "relative is ignored",
        "XDG_DATA_HOME": "/d",
    }
    places = resolve_places(environment)
    assert places.config == Path("/c/paparatsd")
    assert places.state == Path("/s/paparatsd")
    assert places.cache == Path("/nonexistent/me/.cache/paparatsd")
    assert places.runtime == Path("/s/paparatsd/run")
    assert places.data == Path("/d/paparatsd")


def test_a_session_directory_of_ours_holds_the_socket() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        places = resolve_places({**HOME, "XDG_RUNTIME_DIR": short})
        assert places.runtime == Path(short) / "paparatsd"
    assert resolve_places({**HOME, "XDG_RUNTIME_DIR": short}).runtime == places.state / "run"


def test_a_session_directory_of_another_user_is_not_used(tmp_path: Path) -> None:
    environment = {**HOME, "XDG_RUNTIME_DIR": str(tmp_path)}
    other = resolve_places(environment, uid=os.geteuid() + 1)
    assert other.runtime == Path("/nonexistent/me/.local/state/paparatsd/run")


def test_our_own_variables_win_over_xdg_and_flags_over_them() -> None:
    environment = {
        **HOME,
        "XDG_CONFIG_HOME": "/xdg",
        "PAPARATS_CONFIG_DIR": "/mine",
        "PAPARATS_CACHE_DIR": "/cache",
    }
    assert resolve_places(environment).config == Path("/mine")
    places = resolve_places(environment, {"config": "/flag", "runtime": "/r"})
    assert (places.config, places.cache, places.runtime) == tuple(
        map(Path, ("/flag", "/cache", "/r"))
    )


def test_a_state_directory_of_its_own_keeps_its_own_socket(tmp_path: Path) -> None:
    environment = {**HOME, "XDG_RUNTIME_DIR": str(tmp_path)}
    assert resolve_places(environment, {"state": "/s"}).runtime == Path("/s/run")


@pytest.mark.parametrize("way", ["flag", "variable"])
def test_a_state_directory_of_its_own_keeps_its_own_data(way: str) -> None:
    environment = {**HOME, "XDG_DATA_HOME": "/d"}
    flags = {"state": "/s"} if way == "flag" else {}
    environment |= {"PAPARATS_STATE_DIR": "/s"} if way == "variable" else {}
    assert resolve_places(environment, flags).data == Path("/s/data")
    assert resolve_places(environment, {**flags, "data": "/mine"}).data == Path("/mine")
    environment["PAPARATS_DATA_DIR"] = "/var-data"
    assert resolve_places(environment, flags).data == Path("/var-data")


def test_a_relative_variable_is_refused_and_a_relative_flag_made_absolute() -> None:
    with pytest.raises(BadSettings, match="PAPARATS_STATE_DIR"):
        resolve_places({"HOME": "/h", "PAPARATS_STATE_DIR": "state"})
    assert resolve_places({"HOME": "/h"}, {"state": "state"}).state == Path.cwd() / "state"


def test_a_long_socket_path_is_moved_to_a_short_directory_per_user() -> None:
    deep = "/" + "d" * MAX_SOCKET_PATH_BYTES
    first = resolve_places({"HOME": "/h"}, {"runtime": deep}, uid=7, temporary=Path("/tmp"))
    again = resolve_places({"HOME": "/h"}, {"runtime": deep}, uid=7, temporary=Path("/tmp"))
    other = resolve_places({"HOME": "/h"}, {"runtime": deep + "x"}, uid=7, temporary=Path("/tmp"))
    assert first == again
    assert first.runtime != other.runtime
    assert first.runtime.name.startswith("paparatsd-7-")
    assert len(os.fsencode(first.control_socket)) <= MAX_SOCKET_PATH_BYTES


def test_multibyte_characters_count_as_bytes() -> None:
    deep = "/" + "ü" * 60
    assert resolve_places({"HOME": "/h"}, {"runtime": deep}).runtime.parent != Path(deep)
    assert resolve_places({"HOME": "/h"}, {"runtime": deep}).runtime != Path(deep)


def test_all_directories_are_created_private_whatever_the_umask(tmp_path: Path) -> None:
    places = places_in(tmp_path / "deep" / "er")
    old = os.umask(0)
    try:
        prepare_places(places)
    finally:
        os.umask(old)
    for kind in KINDS:
        assert stat.S_IMODE(getattr(places, kind).stat().st_mode) == 0o700
    prepare_places(places)


def test_an_open_runtime_directory_of_ours_is_closed(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.runtime.mkdir(mode=0o755)
    prepare_places(places)
    assert stat.S_IMODE(places.runtime.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_that_is_a_file_is_refused_and_nothing_is_created(
    tmp_path: Path, kind: str
) -> None:
    places = places_in(tmp_path)
    getattr(places, kind).write_text("")
    with pytest.raises(BadSettings, match="not a directory"):
        prepare_places(places)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_place_below_a_file_is_refused_and_nothing_is_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = replace(places_in(tmp_path), state=tmp_path / "file" / "state")
    with pytest.raises(BadSettings, match="not a directory"):
        prepare_places(places)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_place_of_somebody_else_is_refused(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.state.mkdir()
    with pytest.raises(BadSettings, match="belongs to user"):
        prepare_places(places, uid=os.geteuid() + 1)


def test_a_place_that_everybody_can_write_is_refused_with_the_remedy(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.state.mkdir()
    places.state.chmod(0o777)
    with pytest.raises(BadSettings, match="chmod go-w"):
        prepare_places(places)


def test_a_runtime_directory_behind_a_link_is_refused(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    (tmp_path / "real").mkdir()
    places.runtime.symlink_to(tmp_path / "real")
    with pytest.raises(BadSettings, match="is a link"):
        prepare_places(places)


def test_a_broken_link_is_refused(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.state.symlink_to(tmp_path / "gone")
    with pytest.raises(BadSettings, match="broken link"):
        prepare_places(places)


def test_a_state_directory_behind_a_link_of_ours_is_fine(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    (tmp_path / "disk").mkdir()
    places.state.symlink_to(tmp_path / "disk")
    prepare_places(places)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_place_is_refused_and_nothing_is_created(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    places = replace(places_in(tmp_path), state=tmp_path / "locked" / "state")
    with pytest.raises(BadSettings, match="cannot be written"):
        prepare_places(places)
    assert [path.name for path in tmp_path.iterdir()] == ["locked"]


def test_a_pseudo_file_system_that_takes_no_directories_is_refused(tmp_path: Path) -> None:
    places = replace(places_in(tmp_path), state=Path("/proc/paparatsd-state"))
    with pytest.raises(BadSettings):
        prepare_places(places)
