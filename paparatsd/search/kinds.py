"""Which kinds of files a question asks for: tests, documents, examples, settings, variants.

A word is not enough: "how does the test client send requests" is about the library, "tests for
the client" is about its tests. What is asked for stands at the head of such a question.
"""

from __future__ import annotations

import re

_FOR = r"(?:for|of|that|which|covering|around|about|on|to|with|in)"
_TEST = r"(?:unit|integration|end to end|e2e|regression|acceptance|smoke|functional)"
_KINDS = {
    "test": re.compile(
        rf"^(?:the |all |any )?(?:{_TEST} )*(?:tests?|specs?|test (?:cases?|suites?|files?)"
        rf"|fixtures?|benchmarks?)(?: {_FOR}\b|$)"
        rf"|\b(?:tests|specs|benchmarks|fixtures|test (?:cases|suites?|files?)|{_TEST} tests?)"
        rf"(?: {_FOR}\b|$)"
        rf"|^(?:which|what|find|list|show(?: me)?|the|all|any) (?:{_TEST} )*(?:tests|specs)\b"
        r"|^(?:\w+ ){1,3}(?:tests?|spec|benchmark)$"
        r"|\b(?:is|are|was|gets?|how|where) (?:\w+ ){0,4}tested\b|\b(?:covered by|coverage of)\b"
        r"|^(?:how|where) (?:do|does|can|should) (?:we|i|you|it|they) (?:test|mock)\b"
    ),
    "docs": re.compile(
        rf"\b(?:docs?|documentation|readme|changelog|user guide|guides?|manuals?|licen[sc]e"
        rf"|tutorials?)(?: {_FOR}\b|$)"
    ),
    "example": re.compile(
        rf"\b(?:examples?|samples?|demos?|sample code|example code)(?: {_FOR}\b|$)"
        r"|^(?:an? |the |show (?:me )?)(?:examples?|samples?|demos?)\b"
    ),
    "config": re.compile(
        r"\b(?:ya?ml|toml|ini|json|xml|dotenv|build|lint(?:er)?s?|ci|editor|project)"
        r" (?:config(?:uration)?s?|settings)\b"
        r"|\b(?:config(?:uration)?|settings|manifest|lock) files?\b|\bworkflow files?\b"
    ),
    "variant": re.compile(
        r"\bv\d|\b(?:vendor(?:ed)?|legacy|compat|generated|win(?:32|64|dows)?|os2|os390|aix|ibmi"
        r"|sunos|solaris|haiku|cygwin|qnx|wasm|wasi|android|ios|tvos|watchos|browser|deno)\b"
    ),
}


_OPENING = (
    r"^(?:(?:find|show(?: me)?|list|give me|see|read|open|where (?:are|is)|what|which|are there"
    r"|is there|all|any|the|our|existing) )*"
)
_SUBJECT = r" (?:for|of|that|which|covering|around|about|on|to|with|in)(?: (?P<rest>.+))$"
_CI = (
    r"(?:ci(?: cd)?|continuous (?:integration|delivery|deployment)|github actions?|gitlab ci"
    r"|build pipelines?|circleci|travis(?: ci)?|azure pipelines?|jenkins)"
)
_HEADS = {
    "test": re.compile(
        rf"{_OPENING}(?:{_TEST} )*(?:tests|specs|test (?:cases?|suites?|files?)|benchmarks"
        rf"|test fixtures?|fixtures){_SUBJECT}"
    ),
    "docs": re.compile(
        rf"{_OPENING}(?:user )?(?:docs?|documents?|documentation|guides?|manuals?|tutorials?"
        rf"|readmes?){_SUBJECT}"
    ),
    "example": re.compile(rf"{_OPENING}(?:code )?(?:examples?|samples?|demos?){_SUBJECT}"),
    "ci": re.compile(
        rf"{_OPENING}{_CI}"
        r"(?: (?:config(?:uration)?s?|settings|set ?up|files?|workflows?|pipelines?|jobs?"
        r"|definitions?))+(?: (?:for|of|that|which|to|with|in)(?: (?P<rest>.+)))?$"
    ),
}


def kind_at_head(question: str) -> tuple[str, str]:
    """Return the kind of file that a question asks for before all else, and what it is to be of.

    `question` is its words in lower case. The kind is "" for other questions; "ci" may be asked
    for without a subject.

    >>> kind_at_head("tests for the router")
    ('test', 'the router')
    """
    for kind, head in _HEADS.items():
        match = head.match(question)
        if match:
            return kind, match["rest"] or ""
    return "", ""


def kinds_asked_for(question: str) -> frozenset[str]:
    """Return the kinds of files that a question (its words in lower case) asks for."""
    return frozenset(kind for kind, sign in _KINDS.items() if sign.search(question))
