"""Sentences of comments and commit messages, turned into questions a person might ask.

Pure text work: what a first sentence is, which ones say enough to be asked, how they are worded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

MAX_SENTENCE_CHARS = 260
MIN_CONTENT_WORDS = 3
MAX_WORDS = 22


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    "a about above after all also an and any are as at be been before being below between both "
    "but by can could did do does each either else etc every for from had has have how if in into "
    "is it its just may might more most must no nor not of off on once one only onto or other our "
    "out over own per same shall should so some such than that the their them then there these "
    "they this those to too under until up upon use used uses using via was we were what when "
    "where which while who whose will with within without would you your new given specified "
    "specific current class method function module file object struct type interface instance "
    "value values return returns get gets set sets create creates"
)

_ENDS = re.compile(r"(?<=[\w)\]\"'`*>])[.!?](?=\s|$)(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<! vs\.)")
_TAG_LINE = re.compile(
    r"^\s*(?:[@\\:]\w|<\w+|[-*+] |\d+[.)] |\||={3}|-{3}|`{3}|~{3}|#+ |>>>|\$ |Args?:|Arguments:"
    r"|Parameters?:?$|Returns?:|Examples?:?|Usage:?|Note:|Raises:|Yields:|Attributes:|See )"
)
_LEADING_TAG = re.compile(
    r"^(?:[@\\](?:brief|short|summary|desc(?:ription)?|file|class|module|package|doc)\b[ \t]*"
    r"|Description:\s*|Summary:\s*|Synopsis:\s*|\{@template [\w.]+\}\s*|%%\s*)",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"^(?:[\w./+-]+\.\w{1,5})\s*(?:[-:\u2013\u2014]+\s+|$)")
_MARKUP = (
    (re.compile(r"\[\[([^\]|]+)(?:\|[^\]]*)?\]\]"), r"\1"),
    (re.compile(r"\{@\w+ +(?:[\w.$#]*#)?([^}|]*)(?:\|[^}]*)?\}"), r"\1"),
    (re.compile(r"<(?:see|seealso|paramref|typeparamref)\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/?>"), r"\1"),
    (re.compile(r"</?[a-zA-Z][\w-]*(?:\s[^<>]{0,80})?/?>"), " "),
    (re.compile(r":\w+(?::\w+)?:`[~!]?([^`<]*?)(?:\s*<[^>`]*>)?`"), r"\1"),
    (re.compile(r"\[`?([^\]\[`]+)`?\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"\[(?:`)?([\w.:#]+)(?:`)?\]"), r"\1"),
    (re.compile(r"(?<![\w@])@([\w.' ]{1,40})@(?!\w)"), r"\1"),
    (re.compile(r"\\(?:ref|c|p|a|link|code)\{?\s*([\w.:#]+)\}?"), r"\1"),
    (re.compile(r"`+"), ""),
    (re.compile(r"(?<!\w)['\"]([A-Z][\w.]*)['\"](?!\w)"), r"\1"),
    (re.compile(r"(?<!\w)[*_]{1,2}(\w[^*_]{0,60}?)[*_]{1,2}(?!\w)"), r"\1"),
)
_UNUSABLE = re.compile(
    r"copyright|licen[sc]e|all rights|spdx|\btodo\b|\bfixme\b|\bxxx\b|\bhack\b|deprecat|https?:"
    r"|www\."
    r"|[{}<>=;|\\@$^~]|::\s|\bsee\b|do not edit|generated|internal use|not intended|experimental"
    r"|pylint|eslint|noqa|rubocop|nolint|type: |istanbul|prettier|\bthis (?:is|was)\b"
    r"|\bsee also\b|\bsubject to change\b|\bfor backwards?[ -]compat|\bno longer\b|\bdon't\b"
    r"|\bplease\b"
    r"|\bsame as\b|\bsimilar to\b|\bequivalent to\b|\balias (?:for|of|to)\b|\bshort-?hand\b"
    r"|\b(?:i|i'm|i've|we|we're|my|our|let's)\b|\?$|\.\.\."
    r"|^(?:but|and|so|because|also|otherwise|instead|use this)\b|\.\s*\.|\bworkaround\b"
    r"|\badapted from\b|\bborrowed from\b|\bcopied from\b|\bfor example\b|\bas you\b|\bfeel free\b"
    r"|\bthe following\b|\bas follows\b|\babove\b|\bbelow\b|\bhere\b",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"^(?:constructors?|destructor|gets? (?:or sets?|the value)|sets? the value"
    r"|returns? (?:the value"
    r"|true|false|self|this|nil|null|none|a (?:copy|string)$)|default (?:constructor"
    r"|implementation)"
    r"|initiali[sz]es? (?:a|the) new instance|creates? a new instance|used (?:by|for) test|helper$"
    r"|package \w+$|main (?:entry|function|class)$|entry point|public api|private|internal|utility"
    r"|utilities|helpers?|various|miscellaneous|common|types?|constants?|imports?|exports?|tests?)"
    r"(?:\b|$)(?:\s+\w+){0,2}$"
    r"|^(?:instantiate|construct|create|initiali[sz]e)s? (?:an? )?new\b"
    r"|^(?:returns?|computes?|calculates?) (?:an? |the )?(?:hash ?code|string representation)\b",
    re.IGNORECASE,
)
_ARTICLES = re.compile(
    r"^(?:(?:this|the) (?:class|module|file|function|method|struct|structure|interface|package"
    r"|trait"
    r"|type|component|protocol|header|library|script|mixin|object)(?: template)?\s+(?:is\s+"
    r"|are\s+|that\s+)?"
    r"|(?:an?|the)\s+(?:\w+\s+)?(?:class|module|function|method|struct|interface|trait|type"
    r"|protocol)"
    r"\s+(?:that|which|for|to)\s+(?:is\s+|are\s+)?"
    r"|(?:base |abstract |utility |helper |simple |main |default )*"
    r"(?:class(?:es)?|functions?|methods?|interface|module|trait|struct|helpers?|utilit(?:y|ies))"
    r"\s+(?:for|that|to|which)\s+"
    r"|represents?\s+|represent(?:ing|ation of)\s+|implements?\s+|implementation of\s+"
    r"|provides?\s+|defines?\s+|contains?\s+|describes?\s+|is used to\s+|used (?:to|for)\s+"
    r"|used by\s+|responsible for\s+|is\s+|are\s+|an?\s+|the\s+)+",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"^(?:,?\s*(?:is|are|was|represents?|holds?|defines?|describes?|implements?|provides?)\s+"
    r"(?=(?:an?|the)\s|\w)|\s*[-:\u2013\u2014=]+\s+|,\s+)",
    re.IGNORECASE,
)
_KINDS = r"(?:class|interface|trait|struct|module|enum|type|abstract class)"
_WORD = re.compile(r"[A-Za-z][A-Za-z'_-]*[A-Za-z]|[A-Za-z]")
_VERB = re.compile(
    r"^([A-Za-z]{2,14}s)\s+(?!(?:for|of|that|which|in|with|from|used|are|is|to|and|or|on|when|where"
    r"|related|available|\w+ing)\b)(?=\w)"
)
_IMPERATIVE = re.compile(
    r"^(?:add|append|apply|attach|build|calculate|call|check|clean|clear|close|collect|compare"
    r"|compile"
    r"|compute|convert|copy|count|create|decode|delete|detect|determine|drop|dump|emit|encode"
    r"|ensure"
    r"|escape|evaluate|execute|expand|extract|fetch|fill|filter|find|flush|format|generate|get"
    r"|handle"
    r"|insert|install|iterate|join|list|load|look|lookup|make|map|match|merge|move|normali[sz]e"
    r"|notify"
    r"|open|parse|perform|prepare|print|process|push|put|read|receive|register|reject|remove|render"
    r"|replace|reset|resolve|restore|retrieve|return|run|save|scan|schedule|search|select|send"
    r"|serialize"
    r"|set|show|skip|sort|split|start|stop|store|strip|submit|transform|translate|try|update"
    r"|validate"
    r"|verify|wait|wrap|write|yield)\s+(?!for\b|of\b|that\b)"
)
_NOT_VERBS = _words(
    "this its has is was does classes class options rules utils helpers methods functions types "
    "tests "
    "errors access process address status series various less bus canvas alias basis analysis "
    "handlers routes models events keys names values files paths arguments flags parameters "
    "headers "
    "tools constants commands settings statistics metrics strings numbers users tokens "
    "bindings interfaces operators algorithms structures wrappers extensions attributes "
    "filters formats routines definitions macros actions messages items fields nodes"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`raw` as it stands in the cleaned comment (for deletion), `plain` without its markup."""

    raw: str
    plain: str


def first_sentence(doc: str) -> Sentence | None:
    """Take the first sentence of a comment whose marks are off; None when there is none.

    A blank line, a list, a heading or a tag such as `@param` ends it as well as a full stop does.
    """
    doc = _skip_tag(doc.strip())
    lines: list[str] = []
    for line in doc.splitlines():
        if not line.strip() or (lines and _TAG_LINE.match(line)):
            break
        lines.append(line.strip())
        if _ENDS.search(line) or sum(map(len, lines)) > MAX_SENTENCE_CHARS:
            break
    text = " ".join(lines)
    if not text or _TAG_LINE.match(text):
        return None
    end = _ENDS.search(text)
    raw = text[: end.end()] if end else text
    if len(raw) > MAX_SENTENCE_CHARS:
        return None
    return Sentence(raw, without_markup(raw))


def _skip_tag(doc: str) -> str:
    for _ in range(3):
        shorter = _FILE_NAME.sub("", _LEADING_TAG.sub("", doc))
        if shorter == doc:
            break
        doc = shorter.lstrip("-: \t\n")
    return doc


def without_markup(text: str) -> str:
    """Drop links, code marks and tags but keep their words; white space becomes single spaces."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    text = re.sub(r"\(\s*\)", "", text)
    return " ".join(text.split()).strip(" .:;,-!*")


def without_name(plain: str, name: str) -> str:
    """Cut the name of the documented thing (and "is a") off the front, as Go has it."""
    if not name:
        return plain
    opening = rf"(?:the\s+|an?\s+|{_KINDS}\s+)?{re.escape(name)}\b(?:\(\))?"
    head = re.match(opening, plain, re.IGNORECASE)
    # "A queue of jobs" documents Queue: a lower-case word is a word, not the name.
    if head is None or (head.group().split()[-1].islower() and not name.islower()):
        return plain
    rest = plain[head.end() :]
    return _COPULA.sub("", rest).strip() if rest[:1] in {"", " ", ",", ":"} else plain


def content_words(text: str) -> list[str]:
    """List the words that carry meaning, lower case, in order, without repeats."""
    words = (w.lower().strip("'-_") for w in _WORD.findall(text))
    return list(dict.fromkeys(w for w in words if len(w) > 2 and w not in STOP_WORDS))


def is_askable(text: str) -> bool:
    """Say whether a sentence says enough, in plain words, to be somebody's question."""
    words = text.split()
    if not 3 <= len(words) <= MAX_WORDS or _UNUSABLE.search(text) or _BOILERPLATE.match(text):
        return False
    if not text.isascii() or text.count('"') % 2 or text.count("'") > 2:
        return False
    if text.count("(") != text.count(")"):
        return False
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return letters >= 0.85 * len(text) and len(content_words(text)) >= MIN_CONTENT_WORDS


def word_question(plain: str, rng: random.Random) -> str:
    """Word a sentence as a question: its opening goes in 60 %, "how to" comes in 25 %."""
    text = plain
    if rng.random() < 0.6:
        shorter = _ARTICLES.sub("", text)
        if len(content_words(shorter)) >= MIN_CONTENT_WORDS:
            text = shorter
    style = rng.random()
    if style < 0.25:
        text = _as_how(text, rng)
    elif style < 0.33:
        words = [w for w in text.split() if w.lower().strip("(),.") not in STOP_WORDS]
        text = " ".join(words) if 3 <= len(words) <= 9 else text
    return lower_first(text) if rng.random() < 0.7 else text


def lower_first(text: str) -> str:
    """Write the first letter small, unless the word is a name or an abbreviation."""
    if re.match(r"[A-Z](?:[A-Z0-9]|\w*[A-Z._:])", text):
        return text
    return text[:1].lower() + text[1:]


def _as_how(text: str, rng: random.Random) -> str:
    text = lower_first(re.sub(r"^(?:this|the) (?:class|module|file|function|method) ", "", text))
    verb = _VERB.match(text)
    if verb and verb.group(1).lower() not in _NOT_VERBS:
        if rng.random() < 0.7:
            return f"how to {base_form(verb.group(1))} {text[verb.end() :]}"
        return f"where is the code that {text}"
    if _IMPERATIVE.match(text):
        return f"how to {text}"
    # Without its article "where is" reads like no question: "where is folder that unzips".
    return (
        f"where is {text}" if re.match(r"(?:the|an?)\s", text) and len(text.split()) <= 14 else text
    )


def base_form(verb: str) -> str:
    """Turn a verb's third person ("parses", "applies") into its base form."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]
