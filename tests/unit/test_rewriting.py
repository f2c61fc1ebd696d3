"""What is taken of a chat model's reply, and what asking one may cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from paparatsd.endpoints.breaker import FIRST_S
from paparatsd.errors import BadReply, Unavailable
from paparatsd.rewriting.reading import (
    MAX_CODE_CHARS,
    MAX_CODE_LINES,
    MAX_QUESTION_CHARS,
    MAX_REPLY_CHARS,
    MAX_WORDS,
    content_of,
    messages_of,
    read_reply,
)
from paparatsd.rewriting.rewriter import Rewriter
from paparatsd.search.asked_by import BUILT_IN, AskedBy
from paparatsd.search.query import is_worded
from paparatsd.search.rewrites import Rewrites
from paparatsd.search_model import Rewritten
from tests.harness.embedding_clock import SkippingClock

if TYPE_CHECKING:
    from paparatsd.errors import PaparatsError

GOOD = json.dumps({"words": ["throttle", "bucket"], "code": "def throttle():\n\treturn 1"})


def read(content: str, *, words: bool = True, code: bool = True) -> tuple[tuple[str, ...], str]:
    return read_reply(content, words=words, code=code)


# ------------------------------------------------------------------ replies


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure, here it is {{as asked}}: {GOOD} Anything else?",
        f'<think>maybe {{"words": ["wrong"]}}</think>{GOOD}',
        f"[{GOOD}]",
    ],
)
def test_an_object_is_found_in_fences_thoughts_and_talk(content: str) -> None:
    assert read(content) == (("throttle", "bucket"), "def throttle():\n\treturn 1")


def test_only_what_was_asked_for_is_taken() -> None:
    assert read(GOOD, code=False) == (("throttle", "bucket"), "")
    assert read(GOOD, words=False) == ((), "def throttle():\n\treturn 1")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I cannot help with that.",
        "{}",
        '{"words": []}',
        '{"words": "throttle"}',
        '{"words": [1, null, {"a": 1}]}',
        '{"code": ["def f(): ..."]}',
        '{"other": 1}',
        "{" * 5_000,
        '{"a": ' * 5_000,
        '<think>{"words": ["endless"]}',
    ],
)
def test_a_reply_without_either_is_refused(content: str) -> None:
    with pytest.raises(BadReply):
        read(content)


def test_words_look_like_words_and_are_few() -> None:
    said = ["rate_limit", "http.Client", "<script>", "a", "x" * 60, "two words", "limit", "limit"]
    words, _ = read(json.dumps({"words": [*said, *(f"more{n}" for n in range(50))]}))
    assert words[:5] == ("rate_limit", "http.Client", "two", "words", "limit")
    assert len(words) == MAX_WORDS


def test_code_is_short_and_plain() -> None:
    _, code = read(json.dumps({"code": "a\x1b[31m = 1\x00\n" * 500}))
    assert code.count("\n") < MAX_CODE_LINES
    assert "\x1b" not in code
    assert "\x00" not in code
    _, long = read(json.dumps({"code": "x" * 9_000}))
    assert len(long) == MAX_CODE_CHARS


def test_a_long_reply_is_refused_whole() -> None:
    with pytest.raises(ValueError, match="more than"):
        content_of({"choices": [{"message": {"content": "x" * (MAX_REPLY_CHARS + 1)}}]})


def test_the_question_goes_out_cut_and_apart_from_what_is_asked_of_it() -> None:
    system, user = messages_of("q" * 9_000, words=True, code=False)
    assert user == {"role": "user", "content": "q" * MAX_QUESTION_CHARS}
    assert '"words"' in system["content"]
    assert '"code"' not in system["content"]


@pytest.mark.parametrize(
    ("question", "worded"),
    [
        ("where are retries limited", True),
        ("retry policy", True),
        ("getUserById", False),
        ("def f(x): return x", False),
        ("x " * 400, False),
        ("", False),
    ],
)
def test_only_questions_in_words_are_rewritten(question: str, worded: bool) -> None:
    assert is_worded(question) is worded


# ------------------------------------------------------------------ asking


class Chat:
    """Replies or fails as told."""

    model = "small"

    def __init__(self) -> None:
        self.failure: PaparatsError | None = None
        self.content = GOOD
        self.deadlines: list[float] = []

    async def reply(self, messages: list[dict[str, str]], deadline_s: float) -> str:
        assert messages
        self.deadlines.append(deadline_s)
        if self.failure is not None:
            raise self.failure
        return self.content


def rewriter(chat: Chat, clock: SkippingClock, **more: Any) -> Rewriter:
    options = {"mode": "both", "timeout_s": 4.0, "per_minute": 3, **more}
    return Rewriter(cast("Any", chat), clock=clock, **options)


async def test_a_question_is_asked_once_whatever_its_spaces() -> None:
    chat = Chat()
    made = rewriter(chat, SkippingClock())
    first = await made.rewrite("where is  the limit", 2.0)
    assert first == Rewritten("small", ("throttle", "bucket"), "def throttle():\n\treturn 1")
    assert await made.rewrite(" where is the limit ", 2.0) == first
    assert chat.deadlines == [2.0]


async def test_no_more_than_so_many_are_asked_a_minute() -> None:
    chat, clock = Chat(), SkippingClock()
    made = rewriter(chat, clock)
    said = [(await made.rewrite(f"question {n}", 9.0)).problem for n in range(4)]
    assert said == ["", "", "", "it is asked 3 times a minute at most"]
    clock.passed_s += 60
    assert (await made.rewrite("question 9", 9.0)).problem == ""
    assert chat.deadlines == [4.0] * 4


async def test_a_dead_endpoint_is_left_alone_and_asked_again_later() -> None:
    chat, clock = Chat(), SkippingClock()
    chat.failure = Unavailable("it is gone")
    made = rewriter(chat, clock)
    for n in range(3):
        assert (await made.rewrite(f"question {n}", 9.0)).problem == "it is gone"
    assert len(chat.deadlines) == 1
    clock.passed_s += FIRST_S
    chat.failure = None
    assert (await made.rewrite("question 1", 9.0)).words


async def test_a_reply_without_sense_is_no_sign_of_a_dead_endpoint() -> None:
    chat = Chat()
    chat.content = "no"
    made = rewriter(chat, SkippingClock())
    assert "without usable words" in (await made.rewrite("one question", 9.0)).problem
    chat.content = GOOD
    assert (await made.rewrite("other question", 9.0)).words


# ------------------------------------------------------------------ as searches use it


class Fixed:
    """Makes the same of every question."""

    def __init__(self, rewritten: Rewritten) -> None:
        self.rewritten = rewritten
        self.questions: list[str] = []

    async def rewrite(self, question: str, deadline_s: float) -> Rewritten:
        assert deadline_s > 0
        self.questions.append(question)
        return self.rewritten


async def test_answers_say_what_was_searched_for_besides() -> None:
    fixed = Fixed(Rewritten("small", ("throttle",), "a\nb"))
    rewrite = await Rewrites(fixed).of("where is the limit", 1.0, BUILT_IN)
    assert rewrite.further == (("throttle",), "a\nb", None)
    assert rewrite.notes == (
        "Also searched for, as small suggests: throttle and code like 2 made-up lines.",
    )
    assert rewrite.complete


async def test_answers_say_why_nothing_was_and_are_not_kept() -> None:
    fixed = Fixed(Rewritten("small", problem="it is gone"))
    rewrite = await Rewrites(fixed).of("where is the limit", 1.0, BUILT_IN)
    assert rewrite.notes == (
        "The question was searched for as it is, not rewritten: small: it is gone.",
    )
    assert not rewrite.complete
    assert rewrite.further == ((), "", None)


async def test_a_name_is_never_sent_to_a_chat_model() -> None:
    fixed = Fixed(Rewritten("small", ("throttle",)))
    assert (await Rewrites(fixed).of("getUserById", 1.0, BUILT_IN)).notes == ()
    assert fixed.questions == []


async def test_code_that_cannot_be_embedded_is_left_out() -> None:
    async def broken(text: str) -> Any:
        raise BadReply(text)

    fixed = Fixed(Rewritten("small", ("throttle",), "a"))
    by = AskedBy(built_in=False, embed_document=broken)
    rewrite = await Rewrites(fixed).of("where is the limit", 1.0, by)
    assert rewrite.further == (("throttle",), "", None)
    assert rewrite.notes == ("Also searched for, as small suggests: throttle.",)
    assert not rewrite.complete
