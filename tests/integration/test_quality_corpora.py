"""Checkouts for the quality measurements are whole trees of one revision."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from contrib.bench.quality import corpora
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ATTRIBUTES = "tests export-ignore\n"


def dataset_of(tmp_path: Path, revision: str) -> Path:
    directory = tmp_path / "data"
    (directory / "annotations").mkdir(parents=True)
    row = {"name": "marmots", "language": "python", "url": "https://example.org/alps/den.git"}
    (directory / "repos.json").write_text(json.dumps([{**row, "revision": revision}]))
    queries = [{"query": "sleep", "relevant": ["sleep.py"]}]
    (directory / "annotations" / "marmots.json").write_text(json.dumps(queries))
    return directory


def test_export_is_the_whole_tree_of_the_pinned_revision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"sleep.py": "old\n", "tests/test_sleep.py": "\n", ".gitattributes": ATTRIBUTES}
    clone = Repo.create(tmp_path / "mirror" / "alps+den", files)
    revision = clone.git("rev-parse", "HEAD").strip()
    clone.write("sleep.py", "new\n")
    clone.commit("Sleep longer")
    words = ["--dataset", str(dataset_of(tmp_path, revision)), str(tmp_path / "out")]

    code = corpora.main(["--mirror", str(tmp_path / "mirror"), *words])

    tree = tmp_path / "out" / "marmots"
    assert code == 0
    assert (tree / "sleep.py").read_text() == "old\n"
    assert (tree / "tests" / "test_sleep.py").is_file()  # export-ignore is for releases
    assert not (tree / ".git").exists()
    assert "1 of 1 queries can be asked" in capsys.readouterr().out
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["marmots"]


def test_a_repository_that_no_clone_has_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mirror").mkdir()
    words = ["--dataset", str(dataset_of(tmp_path, "0" * 40)), str(tmp_path / "out")]

    code = corpora.main(["--mirror", str(tmp_path / "mirror"), *words])

    said = capsys.readouterr()
    assert code == 1
    assert "no clone" in said.err
    assert "MISSING; it is https://example.org/alps/den.git" in said.out
