"""paparatsd as its users have it, behind the adapter protocol: a daemon, its socket, its answers.

    python adapter.py [--ranker FILE] [--lexical] [--set SECTION.KEY=VALUE]... DIR

Starts a daemon of its own in $QUALITY_CACHE_DIR (else a temporary directory), registers DIR, waits
until it can be searched, and answers each line of standard input by `POST /v1/search` over the Unix
socket. The protocol is that of process.py. Nothing is written into DIR.

Exit code 1 when the daemon does not start, cannot index DIR or fails to answer; the end of its log
is on standard error then. When the input closes, or on SIGTERM, the daemon is stopped.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.quality.daemon import (
    DaemonUnusable,
    QueryRefused,
    Service,
    running,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

RESULTS = 20
"""Asked for at least: ten distinct files count, and a file may have several results."""
COLUMNS = ("path", "start_line", "end_line")
STATS = ("name", "state", "reason", "files", "chunks", "skipped")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        with running(settings_of(arguments)) as service:
            serve(service, arguments.directory)
    except DaemonUnusable as error:
        print(f"adapter.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; the directory and the weights must be there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directory", type=Path, help="what to index")
    parser.add_argument("--ranker", type=Path, metavar="FILE", help="weights instead of ours")
    parser.add_argument("--lexical", action="store_true", help="search by words and names only")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    arguments = parser.parse_args(argv)
    arguments.directory = arguments.directory.resolve()
    if not arguments.directory.is_dir():
        parser.error(f"{arguments.directory} is not a directory")
    if arguments.ranker is not None and not arguments.ranker.is_file():
        parser.error(f"{arguments.ranker} is not a file")
    return arguments


def settings_of(arguments: argparse.Namespace) -> list[str]:
    """Return the daemon's own flags; it refuses to start with a setting that it does not know."""
    pairs = list(arguments.set)
    if arguments.ranker is not None:
        pairs.append(f"search.ranker={arguments.ranker.resolve()}")
    if arguments.lexical:
        pairs.append("search.meaning=false")
    return [word for pair in pairs for word in ("--set", pair)]


def serve(service: Service, directory: Path) -> None:
    """Index the directory, say so, and answer queries until the input closes."""
    started = time.perf_counter()
    (project,) = service.index([directory])
    stats = {key: project[key] for key in STATS}
    stats["index_s"] = round(time.perf_counter() - started, 3)
    print(json.dumps({"ready": True, "stats": stats}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(service, project["name"], json.loads(line))), flush=True)


def answer(service: Service, project: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the daemon one query and return the protocol's answer."""
    limit = max(RESULTS, 2 * int(asked.get("k", 10)))
    try:
        hits = service.search(asked["query"], project=project, limit=limit)
    except QueryRefused as error:
        # The query itself is what it refuses: a user would get nothing.
        print(f"adapter.py: {asked['id']}: {error}", file=sys.stderr)
        hits = []
    return {"id": asked["id"], "results": [{key: hit[key] for key in COLUMNS} for hit in hits]}


if __name__ == "__main__":
    sys.exit(main())
