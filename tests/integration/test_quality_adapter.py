"""Quality is measured through processes: any that speak the protocol, and our daemon itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contrib.bench.quality import adapter as daemon_adapter
from contrib.bench.quality import compare
from contrib.bench.quality.baselines import keywords
from contrib.bench.quality.dataset import Query, Target
from contrib.bench.quality.dataset import Repo as Annotated
from contrib.bench.quality.measure import Task, measure
from contrib.bench.quality.metrics import Result
from contrib.bench.quality.process import AdapterFailed, AdapterProcess
from contrib.bench.quality.scopes import Scope
from contrib.bench.quality.systems import UNFITTED, System
from tests.harness.daemon import clean_home, make_home
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FAKE = """
import json, os, sys
print("some noise that is no JSON")
print(json.dumps({"ready": True, "stats": {"seen": os.listdir(sys.argv[-1])}}), flush=True)
open(os.path.join(os.environ["QUALITY_CACHE_DIR"], "index"), "w").close()
for line in sys.stdin:
    asked = json.loads(line)
    if asked["query"] == "crash":
        sys.exit("out of nuts")
    if asked["query"] == "hang":
        sys.stdin.read()
    rows = [{"path": "b.py", "start_line": 2, "end_line": 3}, "a.py"]
    print(json.dumps({"id": asked["id"], "results": rows}), flush=True)
"""

FILES = {
    "burrow.py": "def where_marmots_sleep():\n    return 'burrow'\n",
    "whistle.py": "def warn_other_marmots(eagle):\n    return eagle.whistle()\n",
    "ignored/secret.py": "def where_marmots_sleep():\n    return 'nowhere'\n",
    ".gitignore": "ignored/\n",
    "README.md": "# Marmots\n\nThey live in the mountains.\n",
}


@pytest.fixture
def fake(tmp_path: Path) -> list[str]:
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    return [sys.executable, str(script)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / "tree", FILES)
    return tmp_path / "tree"


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def asking(text: str, target: str = "a.py", number: int = 0) -> Query:
    return Query(f"tree:{number:02d}", "tree", "python", "semantic", text, (Target(target),))


def task_of(tree: Path, *queries: Query) -> Task:
    return Task(Scope(Annotated("tree", "python", "", "", ""), tree, "root"), queries)


def test_a_process_is_asked_over_its_standard_streams(fake: list[str], tree: Path) -> None:
    with AdapterProcess(fake, tree) as adapter:
        stats = adapter.wait_ready(within_s=10)
        results, took_s = adapter.ask(asking("where"), depth=10, within_s=10)

    assert set(stats["seen"]) == {name.partition("/")[0] for name in FILES}
    assert results == [Result("b.py", 2, 3), Result("a.py")]
    assert took_s > 0
    assert adapter.exit_code == 0


def test_the_directory_can_stand_anywhere_in_the_command(fake: list[str], tree: Path) -> None:
    with AdapterProcess([*fake, "--index={repo}", str(tree)], tree) as adapter:
        assert adapter.wait_ready(within_s=10)["seen"]


def test_a_crash_says_how_it_ended(fake: list[str], tree: Path) -> None:
    with AdapterProcess(fake, tree) as adapter:
        adapter.wait_ready(within_s=10)
        with pytest.raises(AdapterFailed, match=r"code 1: out of nuts"):
            adapter.ask(asking("crash"), depth=10, within_s=10)


def test_silence_is_not_waited_for(fake: list[str], tree: Path) -> None:
    with AdapterProcess(fake, tree) as adapter:
        adapter.wait_ready(within_s=10)
        with pytest.raises(AdapterFailed, match="no answer within 0 s"):
            adapter.ask(asking("hang"), depth=10, within_s=0.05)


def test_what_a_crash_leaves_unanswered_scores_nothing(fake: list[str], tree: Path) -> None:
    queries = [asking(text, number=n) for n, text in enumerate(("where", "crash", "why"))]

    run = measure(System("fake", tuple(fake), UNFITTED), task_of(tree, *queries))

    assert [run.scores[query.id]["recall5"] for query in queries] == [1.0, 0.0, 0.0]
    assert run.error is not None


def test_grep_ranks_files_by_how_many_keywords_they_hold(tree: Path) -> None:
    assert keywords.rank_files(tree, "who will warn other marmots of an eagle") == [
        "whistle.py",
        "README.md",
        "burrow.py",
    ]


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the one directory for temporary files, ours and of what we start."""
    home = make_home()
    monkeypatch.setenv("TMPDIR", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    yield home
    clean_home(home)


def test_daemon_answers_as_for_a_user_and_leaves_nothing_behind(tree: Path, scratch: Path) -> None:
    before = listing(tree)
    system = System("ours", (sys.executable, daemon_adapter.__file__), UNFITTED)

    run = measure(
        system,
        task_of(
            tree,
            asking("where do marmots sleep", "burrow.py", 0),
            asking("who warns other marmots", "whistle.py", 1),
        ),
    )

    assert run.error is None
    assert run.ending is None
    assert run.stats["files"] == 4  # what .gitignore names is left out
    assert run.answers["tree:00"][0].path == "burrow.py"
    assert run.answers["tree:01"][0].path == "whistle.py"
    assert not [one for some in run.answers.values() for one in some if "ignored" in one.path]
    assert listing(tree) == before
    assert list(scratch.iterdir()) == []
    assert processes_with(scratch) == []


def test_a_setting_that_the_daemon_refuses_ends_the_adapter(tree: Path) -> None:
    words = (sys.executable, daemon_adapter.__file__, "--set", "search.colour=blue")

    run = measure(System("ours", words, UNFITTED), task_of(tree, asking("where")))

    assert run.error is not None
    assert "code 1" in run.error
    assert "search.colour" in run.error


def test_a_directory_that_an_outer_repository_ignores_is_measured_too(tmp_path: Path) -> None:
    outer = Repo.create(tmp_path / "outer", {".gitignore": "corpora/\n"}).root
    write(outer / "corpora" / "tree", FILES)
    system = System("ours", (sys.executable, daemon_adapter.__file__), UNFITTED)

    run = measure(
        system, task_of(outer / "corpora" / "tree", asking("where do marmots sleep", "burrow.py"))
    )

    assert run.error is None
    assert run.stats["state"] == "degraded"
    assert run.answers["tree:00"][0].path == "burrow.py"


def test_a_signal_ends_the_daemon_and_its_children(tree: Path, scratch: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, daemon_adapter.__file__, str(tree)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        process.terminate()
        code = process.wait(timeout=20)

    assert ready["ready"]
    assert code == 1
    assert list(scratch.iterdir()) == []
    assert processes_with(scratch) == []


def test_one_run_measures_every_system(
    tmp_path: Path, fake: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data, corpora, out = tmp_path / "data", tmp_path / "corpora", tmp_path / "out.json"
    write(
        data,
        {
            "repos.json": json.dumps([{"name": "tree", "language": "python"}]),
            "annotations/tree.json": json.dumps(
                [
                    {"query": "where do marmots sleep", "relevant": ["burrow.py"]},
                    {"query": "gone", "relevant": ["gone.py"]},
                ]
            ),
        },
    )
    write(corpora / "tree", {**FILES, "a.py": "", "b.py": ""})
    words = [str(corpora), "--dataset", str(data), "--json", str(out)]
    words += ["--systems", "bm25-windows,keywords,fake", "--adapter", f"fake={' '.join(fake)}"]

    code = compare.main([*words, "--reports", str(tmp_path / "reports"), "--jobs", "2"])

    written: dict[str, Any] = json.loads(out.read_text())["scopes"]["root"]
    figures = {name: one["overall"]["macro"]["ndcg10"] for name, one in written.items()}
    assert code == 0
    assert figures == {"bm25-windows": 1.0, "keywords": 1.0, "fake": 0.0}
    assert "tree:01 left out: no file gone.py" in capsys.readouterr().out
    assert (tmp_path / "reports" / "root-fake.jsonl").read_text().count("\n") == 1


def listing(root: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted(root.rglob("*"))}


def processes_with(directory: Path) -> list[str]:
    """Return the processes, but this one, whose environment or arguments name a directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:  # it has ended, or is not ours
            continue
        if str(directory).encode() in text and entry.name != str(os.getpid()):
            found.append(entry.name)
    return found
