"""How fast and how big, next to semble's BM25 part and `git grep` on the same files in one run.

    python contrib/bench/speed.py REPO [--semble-python PATH] [--json OUT]

REPO is a git checkout; it is cloned to a scratch directory first, and nothing is written into it.
For the column of semble make an environment that has it, and name its Python:

    python -m venv /tmp/semble && /tmp/semble/bin/pip install semble
    python contrib/bench/speed.py REPO --semble-python /tmp/semble/bin/python

The questions are subjects of the repository's own commits: plain language about this code. Each is
asked once, so that no answer comes from a cache. What each row means is in README.md beside this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import watchfiles
from inside import seconds_inside
from lab import (
    Daemon,
    Peaks,
    Table,
    cpu_s_by_role,
    git,
    load,
    megabytes,
    ms,
    p50_max,
    p50_p99,
    running,
    scratch,
    timed,
    until_ready,
    write_json,
)
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

NAME = "subject"
SAVES = 20
CLIENTS = 100
SAVE_WITHIN_S = 60.0
LOOK_AGAIN_S = 0.002
SAVED_SUFFIXES = (".py", ".go", ".ts", ".js", ".java", ".rs", ".c", ".rb", ".php", ".md")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repo", type=Path, help="a git checkout")
    parser.add_argument("--semble-python", type=Path, metavar="PATH", help="Python with semble")
    parser.add_argument("--queries", type=int, default=300, help="how many (default 300)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write the table here")
    arguments = parser.parse_args()
    table = Table(("figure", "paparatsd", "semble BM25", "reference", "which is"))
    loads = [load()]
    with scratch() as home:
        tree = home / "tree"
        git(Path.cwd(), "clone", "--quiet", str(arguments.repo.resolve()), str(tree))
        queries = commit_subjects(tree, arguments.queries)
        grep = measure_grep(tree, queries)
        semble = measure_semble(arguments.semble_python, tree, queries)
        loads.append(load())
        ours = asyncio.run(measure_daemon(home, tree, queries))
    loads.append(load())
    fill(table, ours, semble, grep)
    print(f"{arguments.repo.resolve().name}: {len(queries)} questions; " + "; ".join(loads) + "\n")
    table.print()
    raw = {"ours": ours, "semble": semble, "grep": grep}
    write_json(arguments.json, {"loads": loads, "table": table.records(), "raw": raw})
    return 0


def commit_subjects(tree: Path, count: int) -> list[str]:
    """Return the newest commit subjects that differ and have at least three words."""
    subjects = git(tree, "log", "--no-merges", "--format=%s", f"--max-count={count * 4}")
    distinct = dict.fromkeys(line for line in subjects.splitlines() if len(line.split()) >= 3)
    if len(distinct) < CLIENTS:
        raise SystemExit(f"only {len(distinct)} different commit subjects; use a full clone")
    return list(distinct)[:count]


# ---------------------------------------------------------------------- the others


def measure_grep(tree: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Time reading every line once, and finding the longest word of each question."""
    words = [max(query.split(), key=len) for query in queries[:50]]

    def find(*arguments: str) -> float:
        return timed(lambda: git(tree, "grep", "-I", "-c", *arguments, ok=(0, 1)))

    find("-e", "")
    return {"all_s": find("-e", ""), "word_s": [find("-i", "-F", "-e", word) for word in words]}


def measure_semble(python: Path | None, tree: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Index and ask with semble in a process of its own; empty without it."""
    if python is None:
        return {}
    done = subprocess.run(
        [python, Path(__file__).with_name("semble_side.py"), tree],
        input=json.dumps(queries),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# ---------------------------------------------------------------------- ours


async def measure_daemon(home: Path, tree: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Index cold, ask, save, restart."""
    peaks, asked = Peaks(), Peaks()
    figures: dict[str, Any] = {}
    async with running(home) as daemon:
        async with peaks.follow(daemon.pid):
            started = time.perf_counter()
            await daemon.add(tree, name=NAME)
            await until_ready(daemon, NAME)
            figures["index_s"] = time.perf_counter() - started
        figures["index_cpu_s"] = cpu_s_by_role(daemon.pid)
        project = await daemon.project(NAME)
        figures["files"], figures["chunks"] = project["files"], project["chunks"]
        figures["skipped"] = project["skipped"]
        async with asked.follow(daemon.pid):
            figures |= await measure_queries(daemon, queries)
        figures |= await measure_saves(daemon, tree)
        figures |= await measure_restart(daemon)
    figures["process_s"] = await seconds_inside(daemon.state, queries)
    figures["peak_bytes"] = {**peaks.by_role, "together": peaks.together}
    figures["peak_asked_bytes"] = {**asked.by_role, "together": asked.together}
    return figures


async def measure_queries(daemon: Daemon, queries: Sequence[str]) -> dict[str, Any]:
    """Ask half of the questions over the socket and half over MCP, in turns; then many at once."""
    figures: dict[str, Any] = {
        key: [] for key in ("inside_s", "socket_s", "cached_s", "mcp_s", "empty_s")
    }
    async with daemon.client() as http, mcp_client(daemon) as mcp:
        for query in ("warm up", "where is the main entry point", "parse the command line"):
            await search(http, query)
            await mcp.call_tool("search_code", {"query": query})
            await mcp.call_tool("health_check", {})
        for over_socket, over_mcp in zip(queries[::2], queries[1::2], strict=False):
            seconds, answer = await clocked(search(http, over_socket))
            figures["socket_s"].append(seconds)
            figures["inside_s"].append(answer["took_ms"] / 1e3)
            seconds, _ = await clocked(search(http, over_socket))
            figures["cached_s"].append(seconds)
            seconds, _ = await clocked(mcp.call_tool("search_code", {"query": over_mcp}))
            figures["mcp_s"].append(seconds)
            seconds, _ = await clocked(mcp.call_tool("health_check", {}))
            figures["empty_s"].append(seconds)
    figures["query_cpu_s"] = await measure_cpu(daemon, queries)
    figures |= await measure_crowd(daemon, queries)
    return figures


async def measure_cpu(daemon: Daemon, queries: Sequence[str]) -> dict[str, float]:
    """Return the processor time of one question by process, over questions not asked before."""
    before = cpu_s_by_role(daemon.pid)
    async with daemon.client() as http:
        for query in queries:
            # Another limit is another question to the cache of answers.
            await search(http, query, limit=7)
    after = cpu_s_by_role(daemon.pid)
    return {role: (after[role] - before.get(role, 0)) / len(queries) for role in after}


async def measure_crowd(daemon: Daemon, queries: Sequence[str]) -> dict[str, Any]:
    """Let many clients ask at the same moment, each on a connection of its own."""
    limits = httpx.Limits(max_connections=CLIENTS)
    transport = httpx.AsyncHTTPTransport(uds=str(daemon.socket_path), limits=limits)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", timeout=60
    ) as http:
        started = time.perf_counter()
        asked = [clocked(search(http, query, limit=6)) for query in queries[:CLIENTS]]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        together = time.perf_counter() - started
    refused = [str(answer) for answer in answers if isinstance(answer, httpx.HTTPError)]
    seconds = [answer[0] for answer in answers if not isinstance(answer, BaseException)]
    if len(refused) + len(seconds) < CLIENTS:
        raise SystemExit(f"unexpected: {answers}")
    return {"crowd_s": seconds, "crowd_together_s": together, "crowd_refused": refused}


async def search(http: httpx.AsyncClient, query: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the API
    reply = await http.post("/v1/search", json={"query": query, **options})
    reply.raise_for_status()
    answer: dict[str, Any] = reply.json()
    return answer


async def clocked(work: Any) -> tuple[float, Any]:  # noqa: ANN401 - what the awaitable returns
    """Await and return the seconds it took with its result."""
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result


@asynccontextmanager
async def mcp_client(daemon: Daemon) -> AsyncIterator[Client]:
    """Connect the SDK's client over Streamable HTTP, as an agent does."""
    async with Client(streamable_http_client(await daemon.http_url() + "/mcp")) as client:
        yield client


async def measure_saves(daemon: Daemon, tree: Path) -> dict[str, Any]:
    """Append a new word to a file, and ask for it until the answer has it; and so on."""
    files = [path for path in git(tree, "ls-files").splitlines() if path.endswith(SAVED_SUFFIXES)]
    files = [path for path in files if 500 < (tree / path).lstat().st_size < 50_000]
    chosen = files[:: max(1, len(files) // SAVES)][:SAVES]
    heard: dict[str, float] = {}
    stop = asyncio.Event()
    listening = asyncio.Event()
    reference = asyncio.create_task(listen(tree, heard, listening, stop))
    saves, events = [], []
    async with daemon.client() as http:
        await listening.wait()
        for number, path in enumerate(chosen):
            word = new_word(number)
            target = tree / path
            text = f"{target.read_text(errors='replace')}\n{word}\n"
            started = time.perf_counter()
            target.write_text(text)
            saves.append(await until_found(http, path, word, started))
            if str(target) in heard:
                events.append(heard[str(target)] - started)
            await asyncio.sleep(0.2)  # a person saves after a pause, not within the last pass
    stop.set()
    await reference
    return {"saves_s": saves, "inotify_s": events}


def new_word(number: int) -> str:
    """Return a word of letters that no repository has."""
    return "quokka" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:02}{os.getpid()}")


async def until_found(http: httpx.AsyncClient, path: str, word: str, started: float) -> float:
    """Ask again and again; return the seconds since `started` when an answer has the word."""
    answer: dict[str, Any] = {}
    while time.perf_counter() - started < SAVE_WITHIN_S:
        # In its own file only: how well a lone word ranks is not what is measured.
        answer = await search(http, word, paths=[path])
        if any(word in hit["text"] for hit in answer["results"]):
            return time.perf_counter() - started
        await asyncio.sleep(LOOK_AGAIN_S)
    raise SystemExit(
        f"{word} in {path} was not searchable within {SAVE_WITHIN_S:g} s; {answer['freshness']}; "
        f"found instead: {[hit['address'] for hit in answer['results']]}"
    )


async def listen(
    tree: Path, heard: dict[str, float], listening: asyncio.Event, stop: asyncio.Event
) -> None:
    """Note when the kernel's event of each path reaches a plain watcher with next to no wait."""
    changes = watchfiles.awatch(
        tree, watch_filter=None, debounce=5, step=1, stop_event=stop, yield_on_timeout=True,
        rust_timeout=200,
    )  # fmt: skip
    async for batch in changes:
        now = time.perf_counter()
        listening.set()
        for _, path in batch:
            heard.setdefault(path, now)


async def measure_restart(daemon: Daemon) -> dict[str, Any]:
    """Stop, start, and wait for the first answer and for the state `ready`."""
    stop_s, _ = await clocked(daemon.stop(within_s=60))
    started = time.perf_counter()
    await daemon.start()
    listening_s = time.perf_counter() - started
    errors = 0
    async with daemon.client() as http:
        while True:
            reply = await http.post("/v1/search", json={"query": "where is the main entry point"})
            if reply.is_success and reply.json()["results"]:
                break
            errors += not reply.is_success
            await asyncio.sleep(0.01)
    answer_s = time.perf_counter() - started
    await until_ready(daemon, NAME)
    return {
        "stop_s": stop_s,
        "restart_listening_s": listening_s,
        "restart_answer_s": answer_s,
        "restart_errors": errors,
        "restart_ready_s": time.perf_counter() - started,
    }


# ---------------------------------------------------------------------- the table


def fill(
    table: Table, ours: Mapping[str, Any], semble: Mapping[str, Any], grep: Mapping[str, Any]
) -> None:
    """Put every figure in its row."""

    def theirs(key: str, *, per: str = "", unit: str = "") -> str:
        if key not in semble:
            return "-"
        return f"{semble[key] / (semble[per] if per else 1):.0f}{unit}"

    seconds = ours["index_s"]
    other_s = f"{semble['index_s']:.1f} s" if semble else "-"
    table.add("cold index", f"{seconds:.1f} s", other_s, f"{grep['all_s']:.2f} s", "git grep ''")
    cpu_s = sum(ours["index_cpu_s"].values())
    other_s = f"{semble['index_cpu_s']:.1f} s" if semble else "-"
    table.add("  processor time", f"{cpu_s:.1f} s", other_s, *by_role(ours["index_cpu_s"]))
    table.add("  files", str(ours["files"]), theirs("files"), str(ours["skipped"]), "we skip")
    table.add("  chunks", str(ours["chunks"]), theirs("chunks"))
    table.add("  files/s", f"{ours['files'] / seconds:.0f}", theirs("files", per="index_s"))
    table.add("  chunks/s", f"{ours['chunks'] / seconds:.0f}", theirs("chunks", per="index_s"))
    size = megabytes(semble["peak_bytes"]) if semble else "-"
    asked = ours["peak_asked_bytes"]
    for role, peak in ours["peak_bytes"].items():
        other = size if role == "together" else ""
        later = megabytes(asked[role]) if role in asked else "gone"
        table.add(f"peak memory, {role}", megabytes(peak), other, later, "when asked")
    raw = p50_p99(semble["raw_s"]) if semble else "-"
    ranked = p50_p99(semble["ranked_s"]) if semble else "-"
    table.add("ms, p50 / p99")
    table.add("  query, in process", p50_p99(ours["process_s"]), ranked, raw, "semble, not ranked")
    table.add("  query, Searcher", p50_p99(ours["inside_s"]), ranked, raw, "semble, not ranked")
    grepped = p50_p99(grep["word_s"])
    table.add("  query, Unix socket", p50_p99(ours["socket_s"]), "", grepped, "git grep, a word")
    per_role = ours["query_cpu_s"]
    other_s = ms(semble["query_cpu_s"]) if semble else "-"
    table.add("  processor time, mean", ms(sum(per_role.values())), other_s, *by_role(per_role))
    table.add("  same query again", p50_p99(ours["cached_s"]))
    table.add("  query, MCP", p50_p99(ours["mcp_s"]), "", p50_p99(ours["empty_s"]), "health_check")
    rate = f"{len(ours['crowd_s']) / ours['crowd_together_s']:.0f} a second"
    refused = len(ours["crowd_refused"])
    table.add(
        f"  {CLIENTS} at once",
        p50_p99(ours["crowd_s"]),
        "",
        rate,
        f"answers, {refused} refused" if refused else "answers",
    )
    table.add("ms, p50 / max")
    event = p50_max(ours["inotify_s"]) if ours["inotify_s"] else "-"
    table.add("  save to searchable", p50_max(ours["saves_s"]), "", event, "inotify event")
    table.add("ms, once")
    table.add("  restart, listening", ms(ours["restart_listening_s"]))
    failed = str(ours["restart_errors"])
    table.add("  restart, first answer", ms(ours["restart_answer_s"]), "", failed, "errors before")
    table.add("  restart, ready", ms(ours["restart_ready_s"]))
    table.add("  stop", ms(ours["stop_s"]))


def by_role(seconds: Mapping[str, float]) -> tuple[str, str]:
    """Write which processes used the time, in milliseconds, for the last two columns."""
    used = {role: value for role, value in seconds.items() if value >= 5e-5}
    return " / ".join(map(ms, used.values())), " / ".join(used)


if __name__ == "__main__":
    sys.exit(main())
