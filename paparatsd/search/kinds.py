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


def kinds_asked_for(question: str) -> frozenset[str]:
    """Return the kinds of files that a question (its words in lower case) asks for."""
    return frozenset(kind for kind, sign in _KINDS.items() if sign.search(question))
