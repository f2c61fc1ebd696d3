"""The command line and a real daemon, from the first `up` to `down`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.repos import git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


class Home:
    """A home directory with a daemon that only `paparats` starts and stops."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environment = {
            **git_environment(directory),
            "PYTHONPATH": str(ROOT),
            "PAPARATS_STATE_DIR": str(directory / "state"),
            "PAPARATS_CONFIG_DIR": str(directory / "config"),
            "PAPARATS_CACHE_DIR": str(directory / "cache"),
            "PAPARATS_DATA_DIR": str(directory / "data"),
            "PAPARATS_PORT": "0",
        }

    def run(self, *argv: str, code: int = 0) -> str:
        """Run `paparats` and return what it printed; the exit code must be `code`."""
        done = subprocess.run(
            (sys.executable, "-m", "paparatsd.interfaces.cli.main", *argv),
            env=self.environment,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    def json(self, *argv: str) -> Any:
        """Run `paparats --json` and return the value it printed."""
        return json.loads(self.run(*argv, "--json"))


@pytest.fixture
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as name:
        directory = Path(name)
        home = Home(directory)
        source = directory / "src" / "shop"
        source.mkdir(parents=True)
        (source / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
        try:
            yield home
        finally:
            home.run("down")


def test_several_starts_at_once_make_one_daemon_and_down_ends_it(home: Home) -> None:
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: home.json("up"), range(3)))
    assert len({answer["pid"] for answer in answers}) == 1
    assert sum(answer["started"] for answer in answers) == 1
    assert home.json("up")["started"] is False
    assert home.json("down") == {"stopped": True}
    assert home.json("down") == {"stopped": False}
    assert "start it with" in home.run("status", code=69)


def test_add_starts_the_daemon_and_what_was_added_is_found(home: Home) -> None:
    home.run("add", "src/shop", "--wait", "--group", "web")
    (project,) = home.json("status")["projects"]
    assert (project["name"], project["group"], project["state"]) == ("shop", "web", "ready")
    hits = home.json("search", "total", "-g", "web", "-p", "shop")["results"]
    assert [hit["path"] for hit in hits] == ["cart.py"]
    assert "return sum(prices)" in home.run("show", hits[0]["address"])
    assert "taken" in home.run("add", "src", "--name", "shop", code=64)
    assert "not there" in home.run("add", "src/gone", code=64)
    assert "home directory" in home.run("add", ".", code=64)
    home.run("remove", "shop")
    assert home.json("list") == {"projects": []}


def test_a_frozen_daemon_is_told_and_can_go_on(home: Home) -> None:
    pid = home.json("up")["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        assert "did not answer" in home.run("status", "--timeout", "0.3", code=69)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert home.json("status")["pid"] == pid
