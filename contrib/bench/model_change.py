"""Another embedding model is chosen while clients search: errors, whose answers, and how slow.

    python contrib/bench/model_change.py REPO [--files N] [--clients N] [--json OUT]

REPO is a git checkout; at most N of its files are copied to a scratch directory first, and nothing
is written into it. The index is made with the built-in model; then the settings name another one,
an endpoint in a process of its own whose vectors are a function of the text, and are read anew. The
clients ask from before the change until after it, each half a second after the answer before, and
without the cache of answers.

Each answer must be, to the score, the one of the model before or the one of the new model, and
whoever asks after somebody got an answer of the new model must get one too. The exit code is 1 when
that was not so, or a search failed.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from lab import (
    Daemon,
    Peaks,
    Table,
    git,
    load,
    megabytes,
    ms,
    quantile,
    running,
    scratch,
    until_ready,
    write_json,
)

from tests.harness.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = "changed"
DIMENSION = 256
QUESTIONS = 60
LIMIT = 5
ANSWER_S = 60.0
CHANGED_WITHIN_S = 3_600.0
PAUSE_S = 0.5
"""Between an answer and the next question of a client, like somebody who reads quickly."""
BESIDE_S = 20.0
"""How long clients ask before the change and after it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repo", type=Path, nargs="?", help="a git checkout")
    parser.add_argument("--files", type=int, default=5_000, help="at most so many (default 5000)")
    parser.add_argument("--clients", type=int, default=20, help="how many search (default 20)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the table here")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return 0
    if arguments.repo is None:
        parser.error("REPO is missing")
    with scratch() as home, endpoint() as url:
        tree = copied(arguments.repo.resolve(), home / "tree", arguments.files)
        questions = commit_subjects(arguments.repo.resolve())
        found = asyncio.run(run(home, tree, url, questions, arguments.clients))
    return tell(found, arguments.clients, arguments.json)


# ---------------------------------------------------------------------- what is there


def copied(repo: Path, tree: Path, files: int) -> Path:
    """Copy files evenly chosen from what git lists, into a repository with one commit."""
    listed = sorted(filter(None, git(repo, "ls-files", "-z").split("\0")))
    listed = [path for path in listed if (repo / path).is_file()]
    step = max(1.0, len(listed) / files)
    for path in {listed[int(number * step)] for number in range(min(files, len(listed)))}:
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repo / path, target)
    git(tree, "init", "--quiet")
    git(tree, "add", "--all", "--force")
    git(tree, "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "Files")
    return tree


def commit_subjects(repo: Path) -> list[str]:
    """Return subjects of the newest commits: plain language about this code."""
    lines = git(repo, "log", "--no-merges", f"--max-count={QUESTIONS * 3}", "--format=%s")
    subjects = list(dict.fromkeys(line.strip() for line in lines.splitlines() if " " in line))
    return subjects[:QUESTIONS] or ["where are settings read", "how are errors reported"]


async def serve() -> None:
    """Serve embeddings in OpenAI's form; the port is the first line of the output."""
    async with FakeEmbedder.serving(DIMENSION) as server:
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)  # until whoever started us ends


@contextmanager
def endpoint() -> Iterator[str]:
    """Yield the URL of embeddings served by another process."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.stdin.close()
        process.wait(30)


# ---------------------------------------------------------------------- what happens


@dataclass(frozen=True)
class Asked:
    """One search: which question, from when to when, and what came (None: it failed)."""

    question: int
    began: float
    ended: float
    hits: tuple[Any, ...] | None
    notes: str


@dataclass
class Found:
    """All that was seen. `begun`: when the settings were read anew; `swapped`: the event of it."""

    files: int = 0
    chunks: int = 0
    indexed_s: float = 0.0
    begun: float = 0.0
    swapped: float = 0.0
    before: list[tuple[Any, ...]] = field(default_factory=list)
    after: list[tuple[Any, ...]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    peaks: Peaks = field(default_factory=Peaks)
    loads: list[str] = field(default_factory=list)


async def run(home: Path, tree: Path, url: str, questions: Sequence[str], clients: int) -> Found:
    found = Found()
    async with running(home, {"PAPARATS_SEARCH_CACHE_ENTRIES": "0"}) as daemon:
        began = time.perf_counter()
        await daemon.add(tree, name=NAME)
        await until_ready(daemon)
        found.indexed_s = time.perf_counter() - began
        project = await daemon.project(NAME)
        found.files, found.chunks = project["files"], project["chunks"]
        found.before = [hits_of(await daemon.answer(one, limit=LIMIT)) for one in questions]
        found.loads.append(load())
        async with found.peaks.follow(daemon.pid), asyncio.TaskGroup() as tasks:
            jobs = [
                tasks.create_task(client(daemon, questions, number, found))
                for number in range(clients)
            ]
            await asyncio.sleep(BESIDE_S)
            await change(daemon, url, found)
            await asyncio.sleep(BESIDE_S)
            for job in jobs:
                job.cancel()
        found.loads.append(load())
        found.after = [hits_of(await daemon.answer(one, limit=LIMIT)) for one in questions]
    return found


async def change(daemon: Daemon, url: str, found: Found) -> None:
    """Choose the other model, and return when it answers."""
    config = daemon.home / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(
        f'[embedder]\nprovider = "openai"\nurl = "{url}"\nmodel = "other"\n'
        f"dimension = {DIMENSION}\n"
    )
    found.begun = time.perf_counter()
    await daemon.call("POST", "/v1/reload")
    await daemon.wait_until(lambda status: not status["model_changes"], within_s=CHANGED_WITHIN_S)
    found.swapped = time.perf_counter()


async def client(daemon: Daemon, questions: Sequence[str], number: int, found: Found) -> None:
    """Ask one question after another, each client from another one on, until cancelled."""
    async with daemon.client(ANSWER_S) as connection:
        place = number * len(questions) // 7
        while True:
            place = (place + 1) % len(questions)
            body = {"query": questions[place], "limit": LIMIT}
            began, hits, notes = time.perf_counter(), None, ""
            try:
                reply = await connection.post("/v1/search", json=body)
                if reply.status_code == 200:
                    hits, notes = hits_of(reply.json()), " ".join(reply.json()["notes"])
                else:
                    found.failures.append(f"{reply.status_code} {reply.text[:200]}")
            except httpx.HTTPError as error:
                found.failures.append(repr(error))
            found.asked.append(Asked(place, began, time.perf_counter(), hits, notes))
            await asyncio.sleep(PAUSE_S)


def hits_of(answer: dict[str, Any]) -> tuple[Any, ...]:
    """Return what was found: places and scores, in order."""
    return tuple((hit["path"], hit["start_line"], hit["score"]) for hit in answer["results"])


# ---------------------------------------------------------------------- what comes of it


def tell(found: Found, clients: int, json_path: Path | None) -> int:
    """Print the table; the exit code."""
    told = [one for one in found.asked if found.before[one.question] != found.after[one.question]]
    old = [one for one in told if one.hits == found.before[one.question]]
    new = [one for one in told if one.hits == found.after[one.question]]
    first_new = min((one.ended for one in new), default=float("inf"))
    late = [one for one in old if one.began > first_new]
    same = [
        one
        for one in found.asked
        if one.hits == found.before[one.question] == found.after[one.question]
    ]
    answered = [one for one in found.asked if one.hits is not None]
    neither = len(answered) - len(old) - len(new) - len(same)
    by_words = sum("words only" in one.notes for one in found.asked)
    table = Table(("figure", "value"))
    table.add("files, chunks", f"{found.files:,}, {found.chunks:,}")
    table.add("index with the built-in model", f"{found.indexed_s:.1f} s")
    table.add("from the new settings until the new model answers", f"{change_s(found):.1f} s")
    for name, start, end in (
        ("before", 0.0, found.begun),
        ("meanwhile", found.begun, found.swapped),
        ("after", found.swapped, float("inf")),
    ):
        took = [one.ended - one.began for one in found.asked if start <= one.began < end]
        table.add(f"searches {name}", f"{len(took):,}")
        if took:
            figures = " / ".join(ms(quantile(took, share)) for share in (0.5, 0.99, 1.0))
            table.add(f"{name}, p50 / p99 / max, ms", figures)
    table.add("searches that failed", str(len(found.failures)))
    table.add("answers by words alone", str(by_words))
    table.add("answers of the model before", f"{len(old):,}")
    table.add("answers of the new model", f"{len(new):,}")
    table.add("questions that both answer alike", f"{len(same):,}")
    table.add("answers of neither", str(neither))
    table.add("asked after the first new answer, answered by the model before", str(len(late)))
    table.add("peak memory, together", megabytes(found.peaks.together))
    print(f"{clients} clients; {'; '.join(found.loads)}\n")
    table.print()
    for failure in found.failures[:5]:
        print(failure)
    write_json(json_path, {"clients": clients, "table": table.records()})
    return int(bool(found.failures or by_words or neither or late or not old or not new))


def change_s(found: Found) -> float:
    """Return how long the change took."""
    return found.swapped - found.begun


if __name__ == "__main__":
    raise SystemExit(main())
