"""contrib/run.sh: from nothing to a first answer, in a checkout whose .venv is made already."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.harness.repos import Repo, git_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "shop/errors.py": (
        "def handle_error(error: Exception) -> int:\n"
        '    """Handle every error of a request: log it and answer with its status."""\n'
        "    return getattr(error, 'status', 500)\n"
    ),
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
}


def command(file: Path, *words: str) -> None:
    file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    file.chmod(0o755)


@pytest.fixture
def here() -> Iterator[Path]:
    """Make a checkout with the scripts and a .venv that runs this very code."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as name:
        here = Path(name) / "here"
        programs = here / ".venv" / "bin"
        programs.mkdir(parents=True)
        shutil.copytree(ROOT / "contrib", here / "contrib")
        shutil.copy(ROOT / "pyproject.toml", here)
        command(programs / "python", sys.executable)
        command(programs / "paparats", sys.executable, "-m", "paparatsd.interfaces.cli.main")
        stamp = run(here, "bash", "-c", 'echo ". $(cksum < pyproject.toml)"')
        (here / ".venv" / "installed").write_text(stamp)
        try:
            yield here
        finally:
            run(here, str(programs / "paparats"), "down")


def run(here: Path, *words: str) -> str:
    home = here.parent
    environment = {
        **git_environment(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PAPARATS_STATE_DIR": str(home / "state"),
        "PAPARATS_CONFIG_DIR": str(home / "config"),
        "PAPARATS_CACHE_DIR": str(home / "cache"),
        "PAPARATS_DATA_DIR": str(home / "data"),
        "PAPARATS_PORT": "0",
    }
    done = subprocess.run(
        words,
        env=environment,
        cwd=here,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_repository_is_indexed_asked_and_its_hooks_are_told(here: Path) -> None:
    repo = Repo.create(here.parent / "my shop", FILES)
    out = run(here, "contrib/run.sh", str(repo.root))
    assert '$ paparats search "how are errors handled" -p my-shop' in out
    assert "my-shop:shop/errors.py#handle_error\n" in out
    assert f"Git hooks of paparats are in {repo.root}/.git/hooks" in out
    assert f"the command paparats is in {here}/.venv/bin" in out
    assert (repo.root / ".git" / "hooks" / "post-commit").exists()
    (way_out,) = (line for line in out.splitlines() if line.startswith("Take them out with: "))
    run(here, "sh", "-c", way_out.removeprefix("Take them out with: "))
    assert not (repo.root / ".git" / "hooks" / "post-commit").exists()
    assert "is registered as my-shop" in run(here, "contrib/run.sh", str(repo.root))
