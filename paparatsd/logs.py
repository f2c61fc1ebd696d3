"""Structured logs: one event a line on standard error, for people or as JSON.

One formatter serves our own events and the libraries' (through `logging`). Whatever a file name
contains, it cannot forge a line or reach the terminal; values of secret keys are not written.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import Processor

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
SECRET_KEYS = frozenset({"token", "api_key", "qdrant_api_key", "authorization", "password"})
NOISY = ("httpx", "httpcore", "mcp", "uvicorn.access", "watchfiles")
"""Libraries that log every request or event at info."""
MAX_VALUE_CHARS = 2_000
LEVEL_COLOURS = {"debug": "\x1b[2m", "warning": "\x1b[33m", "error": "\x1b[31m"}


def configure_logging(level: str, form: str, *, terminal: bool | None = None) -> None:
    """Set up logging of this process; `form` is auto, human or json (auto: human on a terminal)."""
    terminal = sys.stderr.isatty() if terminal is None else terminal
    human = form == "human" or (form == "auto" and terminal)
    threshold = LEVELS[level]
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.format_exc_info,
        _stamp,
        _redact,
    ]
    render: Processor = HumanRenderer(colours=terminal) if human else _render_json
    structlog.configure(
        processors=[*before, render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    logging.basicConfig(handlers=[handler], level=threshold, force=True)
    for name in NOISY:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
    logging.captureWarnings(capture=True)


def _stamp(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
    event["time"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return event


def _redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
    for key in SECRET_KEYS & event.keys():
        event[key] = "(hidden)"
    return event


def _render_json(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    first = {key: event.pop(key) for key in ("time", "level", "event") if key in event}
    cut = {key: _cut(value) for key, value in {**first, **event}.items()}
    return json.dumps(cut, default=str, ensure_ascii=True)


def _cut(value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_VALUE_CHARS:
        return f"{value[:MAX_VALUE_CHARS]}... ({len(value)} characters)"
    return value


class HumanRenderer:
    """Renders an event for a person: time, level, event, key=value; a trace below it, indented."""

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
        """Return the line."""
        time = str(event.pop("time", ""))[11:19]
        level = str(event.pop("level", "info"))
        name = escape(str(event.pop("event", "")))
        trace = str(event.pop("exception", ""))
        words = [f"{key}={_shown(value)}" for key, value in event.items()]
        line = " ".join([time, level.ljust(7), name, *words])
        if self._colours and level in LEVEL_COLOURS:
            line = f"{LEVEL_COLOURS[level]}{line}\x1b[0m"
        below = [f"    {escape(part)}" for part in trace.splitlines()]
        return "\n".join([line, *below])


def _shown(value: object) -> str:
    text = escape(str(_cut(str(value))))
    return f'"{text}"' if " " in text or not text else text


def escape(text: str) -> str:
    """Return text whose unprintable characters are escaped, so that it stays on its line."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
