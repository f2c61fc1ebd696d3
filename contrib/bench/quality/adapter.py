"""paparatsd as its users have it, behind the adapter protocol: a daemon, its socket, its answers.

    python adapter.py [--ranker FILE] [--lexical] [--set SECTION.KEY=VALUE]... DIR

Starts a daemon of its own in $QUALITY_CACHE_DIR (else a temporary directory), registers DIR, waits
until it is ready, and answers each line of standard input by `POST /v1/search` over the Unix
socket. The protocol is that of process.py. Nothing is written into DIR.

Exit code 1 when the daemon does not start, cannot index DIR or fails to answer; its log is on
standard error then. When the input closes, or on SIGTERM, the daemon is stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.lab import until_ready
from tests.harness.daemon import Daemon, DaemonFailed, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = "subject"
RESULTS = 20
"""Asked for at least: ten distinct files count, and a file may have several results."""
INDEX_S = 3600.0
STOP_S = 6.0
"""How long the daemon may take to end; all it could still write is deleted anyway."""
SOCKET_PATH_BYTES = 100
SERVER_ERROR = 500


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        with scratch_home() as home:
            return serve(
                Daemon(home, daemon_options(), settings_of(arguments)), arguments.directory
            )
    except (DaemonFailed, Refusal, httpx.HTTPError) as error:
        print(f"adapter.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; the directory must be there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directory", type=Path, help="what to index")
    parser.add_argument("--ranker", type=Path, metavar="FILE", help="weights instead of ours")
    parser.add_argument("--lexical", action="store_true", help="switch the embedder off")
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
        pairs.append("embedder.provider=none")
    return [word for pair in pairs for word in ("--set", pair)]


def daemon_options() -> dict[str, str]:
    """Return the environment that the daemon gets beside that of the test harness."""
    return {"PYTHONWARNINGS": "ignore"}


@contextlib.contextmanager
def scratch_home() -> Iterator[Path]:
    """Yield a directory for the daemon, in $QUALITY_CACHE_DIR if a socket's path fits there."""
    cache = os.environ.get("QUALITY_CACHE_DIR")
    if (
        cache
        and len(os.fsencode(Path(cache) / "ppd-12345678/run/control.sock")) > SOCKET_PATH_BYTES
    ):
        cache = None
    with tempfile.TemporaryDirectory(prefix="ppd-", dir=cache, ignore_cleanup_errors=True) as home:
        yield Path(home)


def serve(daemon: Daemon, directory: Path) -> int:
    """Index the directory, answer queries until the input closes, and stop the daemon."""
    try:
        stats = asyncio.run(index(daemon, directory))
        print(json.dumps({"ready": True, "stats": stats}), flush=True)
        with socket_client(daemon) as client:
            for line in sys.stdin:
                print(json.dumps(answer(client, json.loads(line))), flush=True)
    except (httpx.HTTPError, Refusal):
        print(daemon.log_tail(), file=sys.stderr)
        raise
    finally:
        stop(daemon)
    return 0


async def index(daemon: Daemon, directory: Path) -> dict[str, Any]:
    """Start the daemon and register the directory; return what it holds when all is ready."""
    await daemon.start()
    started = time.perf_counter()
    await daemon.add(directory, name=NAME)
    await until_ready(daemon, NAME, within_s=INDEX_S)
    index_s = time.perf_counter() - started
    project = await daemon.project(NAME)
    held = {key: project[key] for key in ("files", "chunks", "skipped")}
    return {"index_s": round(index_s, 3), **held}


def socket_client(daemon: Daemon) -> httpx.Client:
    """Return a client that keeps one connection to the daemon's socket."""
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(daemon.socket_path), verify=False),
        base_url="http://localhost",
        timeout=60.0,
    )


def answer(client: httpx.Client, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the daemon one query and return the protocol's answer; raises Refusal."""
    limit = max(RESULTS, 2 * int(asked.get("k", 10)))
    reply = client.post("/v1/search", json={"query": asked["query"], "limit": limit})
    found = reply.json()
    if reply.status_code >= 400:
        error = found.get("error", {})
        refusal = Refusal(reply.status_code, error.get("code", "?"), error.get("message", "?"))
        if reply.status_code >= SERVER_ERROR:
            raise refusal
        # The query itself is what it refuses: a user would get nothing.
        print(f"adapter.py: {asked['id']}: {refusal}", file=sys.stderr)
        return {"id": asked["id"], "results": []}
    rows = [
        {key: hit[key] for key in ("path", "start_line", "end_line")} for hit in found["results"]
    ]
    return {"id": asked["id"], "results": rows}


def stop(daemon: Daemon) -> None:
    """End the daemon; one that does not end in time is killed, and its children with it."""
    if daemon.process is None:
        return
    with contextlib.suppress(DaemonFailed):
        asyncio.run(daemon.stop(within_s=STOP_S))


if __name__ == "__main__":
    sys.exit(main())
