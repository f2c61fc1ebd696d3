"""What a child process logs is in the daemon's log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structlog.testing import capture_logs

from paparatsd.supervise import Child

if TYPE_CHECKING:
    from collections.abc import MutableMapping


async def heard(level: str) -> list[MutableMapping[str, Any]]:
    child = Child("loud", "tests.harness.loud_child")
    with capture_logs() as lines:
        try:
            await child.call(level, "burrows/token=12345678", timeout_s=30)
        finally:
            await child.stop()
    return [line for line in lines if line["event"] == "marmot_heard"]


async def test_a_warning_of_a_child_is_an_event_of_the_daemon_without_secrets() -> None:
    assert await heard("warning") == [
        {
            "event": "marmot_heard",
            "log_level": "warning",
            "child": "loud",
            "path": "burrows/token=(hidden)",
        }
    ]


async def test_the_trace_of_a_childs_defect_is_kept() -> None:
    (line,) = await heard("exception")
    assert line["log_level"] == "error"
    assert "ValueError: invalid literal" in line["exception"]


async def test_what_is_for_debugging_a_child_stays_there() -> None:
    assert await heard("debug") == []
