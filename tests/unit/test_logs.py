"""One event is one line, without secrets, without end."""

from __future__ import annotations

import io
import json
import logging
import time
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from paparatsd.logs import (
    MAX_IDENTICAL,
    WINDOW_S,
    HumanRenderer,
    RateLimiter,
    configure_logging,
    escape,
    redact_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = [
    "a\nb",
    "a\r\n{\"event\": \"forged\"}",
    "\x1b[31mred\x1b[0m",
    "nul\x00",
    "bidi \u202e\u2066\u200f",
    "line\u2028para\u2029",
    "next\x85",
    "lone \udcff",
    "del\x7f",
    "tab\t",
]  # fmt: skip


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


def written(form: str, level: str = "info") -> io.StringIO:
    out = io.StringIO()
    configure_logging(level, form, terminal=False, stream=out)
    return out


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["json", "human"])
def test_one_event_is_one_line_without_control_characters(form: str, text: str) -> None:
    out = written(form)
    structlog.get_logger().info("file_seen", path=text, **{f"key{text}": [text, {text: text}]})
    logging.getLogger("some.library").warning("refused %s", text)
    first, second, end = out.getvalue().split("\n")
    assert end == ""
    for line in (first, second):
        assert line.isprintable()
        line.encode()


def test_json_lines_keep_the_exact_value() -> None:
    out = written("json")
    for text in HOSTILE:
        structlog.get_logger().info("file_seen", path=text)
    assert [json.loads(line)["path"] for line in out.getvalue().splitlines()] == HOSTILE


def test_a_trace_cannot_forge_a_line_either() -> None:
    out = written("json")
    try:
        int("x\n2026 forged\x1b")
    except ValueError:
        structlog.get_logger().exception("went_wrong")
        logging.getLogger("mcp").exception("library")
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["went_wrong", "library"]
    assert all("forged" in line["exception"] for line in lines)


def test_a_trace_for_people_is_indented_below_its_event() -> None:
    event: dict[str, Any] = {"event": "e", "exception": "Trace\nError: \x1b[2J", "level": "info"}
    assert HumanRenderer(colours=False)(None, "", event).splitlines()[1:] == [
        "    Trace",
        "    Error: \\x1b[2J",
    ]


def test_libraries_with_handlers_of_their_own_write_through_ours() -> None:
    other = io.StringIO()
    logger = logging.getLogger("some.library")
    logger.addHandler(logging.StreamHandler(other))
    logger.propagate = False
    out = written("json")
    logger.warning("hello")
    assert other.getvalue() == ""
    assert json.loads(out.getvalue())["event"] == "hello"


def test_the_level_holds_for_both_kinds() -> None:
    out = written("json", "warning")
    structlog.get_logger().info("quiet")
    logging.getLogger("x").info("quiet")
    assert out.getvalue() == ""


SECRETS = [
    "Authorization: Bearer abcdefghijklmnop",
    "GET /?api_key=abcdefgh12345678&x=1",
    'body {"token": "abcdefgh12345678"}',
    "http://user:abcdefgh12345678@host/",
    "sk-abcdefgh12345678abcdefgh",
    "ghp_abcdefgh12345678abcdefgh12345678",
    "eyJabcdefgh12345678.eyJabcdefgh12345678.abcdefgh12345678",
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_in_texts_are_not_written(text: str) -> None:
    out = written("json")
    structlog.get_logger().info("called", url=text, nested=[{"x": text}], error=ValueError(text))
    logging.getLogger("x").warning(text)
    assert "abcdefgh12345678" not in out.getvalue()
    assert "abcdefghijklmnop" not in out.getvalue()
    assert out.getvalue().count("(hidden)") >= 4


def test_values_of_secret_keys_are_not_written() -> None:
    out = written("json")
    structlog.get_logger().info(
        "called", token="t0p", qdrant_api_key="t0p", headers={"Authorization": "t0p", "A": "b"}
    )
    assert "t0p" not in out.getvalue()
    assert json.loads(out.getvalue())["headers"]["A"] == "b"


@pytest.mark.parametrize(
    "text", ["tokens: 12", "the token was refused", "desk-lamp", "a basic idea"]
)
def test_plain_words_are_kept(text: str) -> None:
    assert redact_text(text) == text


def test_redaction_is_linear() -> None:
    def seconds(size: int) -> float:
        best = 9.0
        for _ in range(3):
            began = time.perf_counter()
            redact_text("\n" + ("sk-" + "a" * 10 + "://:") * (size // 17))
            best = min(best, time.perf_counter() - began)
        return best

    assert seconds(16_000) < 8 * seconds(4_000) + 0.01


def test_long_values_are_cut() -> None:
    assert len(redact_text("x" * 100_000)) < 2_100


def test_equal_events_are_counted_instead_of_written_without_end() -> None:
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])

    def offer(**values: Any) -> dict[str, Any] | None:
        try:
            return dict(limiter(None, "", {"event": "refused", "level": "warning", **values}))
        except structlog.DropEvent:
            return None

    passed = [offer(peer=1) for _ in range(100)]
    assert sum(event is not None for event in passed) == MAX_IDENTICAL
    assert offer(peer=2) == {
        "event": "refused", "level": "warning", "peer": 2, "suppressed": 100 - MAX_IDENTICAL,
    }  # fmt: skip
    now[0] += WINDOW_S
    assert offer(peer=1) == {"event": "refused", "level": "warning", "peer": 1}


def test_a_flood_of_library_records_is_bounded() -> None:
    out = written("json")
    for number in range(1_000):
        logging.getLogger("some.library").warning("bad request %s", number)
    assert len(out.getvalue().splitlines()) == 200


def test_printable_text_of_any_language_is_left_as_it_is() -> None:
    assert escape("grüße 日本語 'x'") == "grüße 日本語 'x'"
