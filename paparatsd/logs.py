"""Structured logs: one event a line on standard error, for people or as JSON.

One formatter serves our own events and the libraries' (through `logging`). Whatever a file name,
a header or a server's reply contains, it cannot forge a line or reach the terminal; secrets are
not written; what repeats without end is counted instead.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping
    from types import FrameType

    from structlog.typing import Processor

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
NOISY = ("httpx", "httpcore", "mcp", "uvicorn.access", "watchfiles")
"""Libraries that log every request or event at info."""
MAX_VALUE_CHARS = 2_000
MAX_TRACE_CHARS = 20_000
LEVEL_COLOURS = {"debug": "\x1b[2m", "warning": "\x1b[33m", "error": "\x1b[31m"}

HIDDEN = "(hidden)"
SECRET_KEY = re.compile(
    r"(?i)(?:^|[_-])(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|cookie|credentials?)s?$"
)
_SECRET_TEXTS = (
    # (what is found, what is left of it); each is linear in the length of the text
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"(?i)\b((?:api[_-]?key|token|secret|passw(?:or)?d)[\"']?\s?[=:]\s?[\"']?)[^\s\"'&,;]{4,}"),
     rf"\1{HIDDEN}"),
    (re.compile(r"\b(https?://)[^\s/@:]{1,200}:[^\s/@]{1,200}@"), rf"\1{HIDDEN}@"),
    (re.compile(
        r"\b(?:sk|pk|rk|pa|ghp|gho|ghs|ghu|glpat|hf|npm|pypi|xox[abpr])[-_][A-Za-z0-9_-]{16,}"
        r"|\bgithub_pat_[A-Za-z0-9_]{20,}|\bAKIA[A-Z0-9]{16}\b"
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"), HIDDEN),
)  # fmt: skip

WINDOW_S = 10.0
MAX_IDENTICAL = 5
"""So many events that are equal in everything are written in one window."""
MAX_OF_A_KIND = 200
"""So many events of one name are written in one window."""
MAX_KINDS = 2_000


def configure_logging(
    level: str, form: str, *, terminal: bool | None = None, stream: TextIO | None = None
) -> None:
    """Set up logging of this process; `form` is auto, human or json (auto: human on a terminal)."""
    out = sys.stderr if stream is None else stream
    terminal = out.isatty() if terminal is None else terminal
    human = form == "human" or (form == "auto" and terminal)
    threshold = LEVELS[level]
    limiter = RateLimiter()
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.format_exc_info,
        _redact,
    ]
    render: Processor = HumanRenderer(colours=terminal) if human else _render_json
    structlog.configure(
        processors=[*before, limiter, _stamp, render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.addFilter(limiter.allows_record)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*before, _stamp],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    _route_libraries(handler, threshold)


def relay_events(send: Callable[[dict[str, Any]], None]) -> None:
    """Let a child process hand its events to `send` as plain values, for `write_relayed`."""

    def relay(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
        send(dict(event))
        raise structlog.DropEvent

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.format_exc_info,
            _redact,
            RateLimiter(),
            relay,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS["info"]),
        cache_logger_on_first_use=False,
    )


GUEST_LOGGER = "paparatsd"


def log_as_guest() -> None:
    """Hand our events to `logging`, as libraries do; what the program around us logs is its own.

    Without a handler of the program nothing is written.
    """
    logger = logging.getLogger(GUEST_LOGGER)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    others = structlog.get_config()["processors"]
    if _divert_ours not in others:
        structlog.configure(processors=[_divert_ours, *others])


def _divert_ours(_logger: object, method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
    if not _is_ours(sys._getframe(1)):
        return event
    trace = event.pop("exc_info", None) or method == "exception"
    said = dict(_redact(None, method, dict(event)))
    level = LEVELS.get(method, LEVELS["error"])
    name = escape(str(said.pop("event", "")))
    words = [f"{escape(str(key))}={_shown(value)}" for key, value in said.items()]
    logging.getLogger(GUEST_LOGGER).log(level, "%s", " ".join([name, *words]), exc_info=trace)
    raise structlog.DropEvent


def _is_ours(frame: FrameType | None) -> bool:
    """Say whether an event comes from a module of this package, in whichever thread."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] != "structlog":
            return module.partition(".")[0] == GUEST_LOGGER
        frame = frame.f_back
    return False


def write_relayed(child: str, event: Mapping[str, Any]) -> None:
    """Write an event of a child process as one of ours, with the child's name."""
    rest = {key: value for key, value in event.items() if key not in ("level", "event")}
    level = LEVELS.get(str(event.get("level")), LEVELS["error"])
    structlog.get_logger().log(level, event.get("event"), **{**rest, "child": child})


def _route_libraries(handler: logging.Handler, threshold: int) -> None:
    """Send everything logged through `logging` to our handler, and to no other."""
    logging.basicConfig(handlers=[handler], level=threshold, force=True)
    for known in list(logging.root.manager.loggerDict.values()):
        if isinstance(known, logging.Logger) and known.handlers:
            known.handlers.clear()
            known.propagate = True
    for name in NOISY:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
    logging.captureWarnings(capture=True)


# --------------------------------------------------------------------------- what is written


def _stamp(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
    event["time"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return event


def _redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
    for key, value in event.items():
        event[key] = HIDDEN if SECRET_KEY.search(str(key)) else _redacted(value)
    return event


def _redacted(value: object) -> object:
    """Return the value without secrets; containers become plain ones, other objects texts."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {
            str(key): HIDDEN if SECRET_KEY.search(str(key)) else _redacted(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_redacted(item) for item in value]
    return redact_text(str(value))


def redact_text(text: str) -> str:
    """Return the text with what looks like a token, key or password replaced, and cut to size."""
    limit = MAX_TRACE_CHARS if "\n" in text else MAX_VALUE_CHARS
    if len(text) > limit:
        text = f"{text[:limit]}... ({len(text)} characters)"
    for pattern, left in _SECRET_TEXTS:
        text = pattern.sub(left, text)
    return text


def _render_json(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    first = {key: event.pop(key) for key in ("time", "level", "event") if key in event}
    text = json.dumps({**first, **event}, default=str, ensure_ascii=True)
    # The one control character that JSON leaves as it is.
    return text.replace("\x7f", "\\u007f")


class HumanRenderer:
    """Renders an event for a person: time, level, event, key=value; a trace below it, indented."""

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
        """Return the line."""
        moment = str(event.pop("time", ""))[11:19]
        level = str(event.pop("level", "info"))
        name = escape(str(event.pop("event", "")))
        trace = str(event.pop("exception", ""))
        words = [f"{escape(str(key))}={_shown(value)}" for key, value in event.items()]
        line = " ".join([moment, level.ljust(7), name, *words])
        if self._colours and level in LEVEL_COLOURS:
            line = f"{LEVEL_COLOURS[level]}{line}\x1b[0m"
        below = [f"    {escape(part)}" for part in trace.splitlines()]
        return "\n".join([line, *below])


def _shown(value: object) -> str:
    text = escape(str(value))
    return f'"{text}"' if " " in text or not text else text


def escape(text: str) -> str:
    """Return text whose unprintable characters are escaped, so that it stays on its line."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


# --------------------------------------------------------------------------- how often


class RateLimiter:
    """Lets a few equal events through in each window and counts the rest.

    The first event of the next window carries the count as `suppressed`. Serves as a structlog
    processor and, through `allows_record`, as a filter of `logging`.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._began = monotonic()
        self._seen: dict[object, int] = {}
        self._held: dict[object, int] = {}

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:  # noqa: ANN401 - as structlog has it
        """Pass the event on or drop it."""
        kind = (event.get("level"), event.get("event"))
        suppressed = self._count(kind, _identity(event))
        if suppressed is None:
            raise structlog.DropEvent
        if suppressed:
            event["suppressed"] = suppressed
        return event

    def allows_record(self, record: logging.LogRecord) -> bool:
        """Whether a record of a library is written."""
        return (
            self._count((record.name, record.msg), (record.name, record.getMessage())) is not None
        )

    def _count(self, kind: object, identity: object) -> int | None:
        """Count an event; None when it is one too many, else how many were held back before."""
        now = self._monotonic()
        if now - self._began >= WINDOW_S or len(self._seen) > MAX_KINDS:
            self._began, self._seen = now, {}
            if len(self._held) > MAX_KINDS:
                self._held.clear()
        kind, identity = ("kind", kind), ("same", identity)
        for key in (kind, identity):
            self._seen[key] = self._seen.get(key, 0) + 1
        if self._seen[kind] > MAX_OF_A_KIND or self._seen[identity] > MAX_IDENTICAL:
            self._held[kind] = self._held.get(kind, 0) + 1
            return None
        return self._held.pop(kind, 0)


def _identity(event: Mapping[str, Any]) -> object:
    return tuple(sorted((str(key), str(value)) for key, value in event.items()))
