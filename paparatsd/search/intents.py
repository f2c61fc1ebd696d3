"""What a question wants of a name or of the code: its callers, its definition, several things.

Patterns are few and anchored: a question that merely contains such words stays what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.chunks.terms import STOP, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = (
    r"[`'\"]?(?P<name>[A-Za-z_$][A-Za-z0-9_$]*(?:(?:::|->|[.#\\])[A-Za-z_$][A-Za-z0-9_$]*)*[?!]??)"
    r"(?:\(\))?[`'\"]?"
)
_KIND = (
    r"(?:(?:the|a|an|this|my|our)\s+)?"
    r"(?:(?:function|method|class|struct|interface|trait|enum|type|macro|module|constant|variable"
    r"|hook|component|helper|decorator|field|property)\s+)?"
)
_KIND_AFTER = (
    r"(?:\s+(?:function|method|class|struct|interface|trait|enum|type|macro|module|constant"
    r"|variable|hook|component|decorator|field|property))?"
)
_X = rf"{_KIND}{_NAME}{_KIND_AFTER}"
_END = r"(?:\s+(?:in|from|across|inside|within|anywhere|here|within)\b.{0,60})?\s*[?.!]*"
_USED = (
    r"(?:being\s+|actually\s+)?(?:used|called|invoked|referenced|imported|instantiated|consumed"
    r"|constructed)"
)
_CALLER_QUESTIONS = (
    r"(?:show(?: me)?\s+|find\s+|list\s+|what are\s+|where are\s+)?(?:all\s+)?(?:the\s+)?"
    r"(?:callers?|usages?|uses|users?|call\s?sites?|references?|consumers?|dependents?|callees?)"
    rf"\s+(?:of|to|for)\s+{_X}",
    r"(?:who|what|which\s+\w+|anything that|code that|(?:all\s+)?(?:places|functions|methods"
    r"|classes|files|tests)\s+(?:that|which))"
    r"\s+(?:calls?|uses?|invokes?|imports?|depends?\s+(?:up)?on|references?|instantiates?"
    rf"|consumes?|constructs?)\s+{_X}",
    rf"(?:from\s+)?where\s+(?:is|are|does|do we|do i|else is|all is)\s+{_X}\s+(?:get\s+)?{_USED}",
    rf"where\s+(?:do|does)\s+(?:we|i|anything|anyone|the code)\s+(?:call|use|invoke|import)\s+{_X}",
    rf"find\s+(?:all\s+)?(?:references|usages|uses|callers)\s+(?:of|to|for)\s+{_X}",
    rf"{_NAME}\s+(?:callers?|usages?|call\s?sites?|references)",
    # Chinese
    rf"谁(?:在)?(?:调用|使用|引用|用)(?:了|到)?\s*{_NAME}.{{0,6}}",
    rf"{_NAME}\s*(?:函数|方法|类|接口)?\s*(?:是|都)?(?:在哪里|在哪儿|在哪些地方|在哪|被谁|被哪些)\S{{0,6}}"
    r"(?:调用|使用|引用|用)\S{0,3}",
    rf"(?:哪里|哪些\S{{0,6}}|什么地方)(?:调用|使用|引用|用)(?:了|到)?\s*{_NAME}.{{0,6}}",
    rf"(?:调用|使用|引用)(?:了|到)?\s*{_NAME}\s*的\S{{1,8}}",
    # Japanese
    rf"{_NAME}\s*(?:関数|メソッド|クラス)?\s*(?:を|の)\s*(?:呼び出|呼ぶ|呼んで|使って|使う|使用|利用|参照)\S{{0,20}}",
    rf"{_NAME}\s*(?:関数|メソッド|クラス)?\s*(?:は|が)\s*どこ(?:で|から)\s*(?:呼|使|利用|参照)\S{{0,16}}",
    # Korean
    rf"{_NAME}\s*(?:함수|메서드|클래스)?\s*(?:을|를|이|가|은|는)?\s*(?:호출|사용|참조|쓰)\S{{0,4}}\s*"
    r"(?:곳|코드|함수|부분|위치)\S{0,8}.{0,8}",
    rf"{_NAME}\s*(?:함수|메서드|클래스)?\s*\S?\s*(?:어디에서|어디서)\s*(?:호출|사용|참조|쓰)\S{{0,10}}",
    # Russian, Ukrainian
    rf"(?:кто|что|хто|що)\s+(?:вызывает|использует|викликає|використовує)\s+{_NAME}",
    rf"(?:где|откуда|де|звідки)\s+(?:вызывается|используется|применяется|викликається"
    rf"|використовується|застосовується)\s+(?:\w+\s+)?{_NAME}",
    rf"(?:вызовы|использования|использование|виклики|використання)\s+{_NAME}",
    # German, French, Spanish, Portuguese
    rf"(?:wer|was)\s+(?:ruft|benutzt|verwendet|nutzt)\s+(?:\w{{3}}\s+)?{_NAME}(?:\s+auf)?",
    rf"wo\s+wird\s+(?:\w{{3}}\s+)?{_NAME}\s+(?:aufgerufen|verwendet|benutzt|genutzt)",
    rf"(?:qui|qu'est-ce qui)\s+(?:appelle|utilise)\s+{_NAME}",
    rf"où\s+(?:est|sont)\s+(?:appelée?s?|utilisée?s?)\s+{_NAME}",
    rf"où\s+{_NAME}\s+est(?:-\w+)?\s+(?:appelée?|utilisée?)",
    rf"(?:quién|quien|qué|que|quem|o que)\s+(?:llama\s+a|llama|usa|utiliza|chama)\s+{_NAME}",
    rf"(?:dónde|donde|onde)\s+(?:se\s+|é\s+|está\s+)?(?:usa|llama|utiliza|usado|usada|chamado|chamada)"
    rf"\s+{_NAME}",
    rf"onde\s+{_NAME}\s+é\s+(?:usad|chamad|utilizad)[oa]",
)
_CALLERS = tuple(re.compile(rf"\s*(?:{one}){_END}", re.I) for one in _CALLER_QUESTIONS)
_CALLER_SIGN = re.compile(
    r"\b(?:call|us(?:e|ag)|invo|refer|import|depend|instan|consum|construct|ruft|wird|nutzt"
    r"|verwend|appel|utilis|llama|usa|chama)|[调用引呼使利参谁]|호출|사용|참조|쓰|вызыв|вызов|использ|примен"
    r"|виклик|викорис|застос",
    re.I,
)
_KEYWORD = (
    r"(?:class|struct|interface|trait|enum|function|func|fun|fn|def|method|module|type|macro"
    r"|protocol|object|const|constant|impl)"
)
_DEFINITION_QUESTIONS = (
    r"(?:(?:where\s+is|find|show(?:\s+me)?|go\s*to|jump\s+to|open|what\s+is)\s+)?(?:the\s+)?"
    rf"(?:definition|declaration|source(?:\s+code)?)\s+(?:of|for)\s+{_X}",
    rf"where\s+(?:is|are|does)\s+{_X}\s+(?:get\s+)?(?:defined|declared|located|implemented|live)",
    rf"where\s+(?:do|does)\s+\w+\s+(?:define|declare)\s+{_X}",
)
_DEFINITIONS = tuple(re.compile(rf"\s*(?:{one}){_END}", re.I) for one in _DEFINITION_QUESTIONS)
_KEYWORD_FIRST = re.compile(rf"\s*{_KEYWORD}\s+{_NAME}\s*:?\s*")
_KEYWORD_LAST = re.compile(rf"\s*{_NAME}\s+(?:{_KEYWORD}|definition|implementation)\s*")
_WRITTEN_AS_NAME = re.compile(r"[a-z][A-Z]|_|^[A-Z]|[.:#\\]")

_SPLIT = re.compile(
    r"\s*;\s+|\s+\+\s+|＋|,?\s+(?:and\s+then|and\s+also|as\s+well\s+as|then)\s+"
    r"|,?\s+and\s+(?=(?:how|where|what|why|who|which|when)\b)"
    r"|(?<=[\u4e00-\u9fff])(?:以及|并且|同时|然后)(?=[\u4e00-\u9fff])",
    re.I,
)
_FEWEST_WORDS = 2


def callers_of(text: str) -> str | None:
    """Return the name whose uses a question asks for, as written there."""
    if len(text) > 200 or not _CALLER_SIGN.search(text):
        return None
    return _first_name(_CALLERS, text)


def definition_of(text: str) -> str | None:
    """Return the name whose definition a question asks for and nothing else."""
    if len(text) > 200 or not any(character.isspace() for character in text.strip()):
        return None
    for pattern in (_KEYWORD_FIRST, _KEYWORD_LAST):
        match = pattern.fullmatch(text)
        if match and _WRITTEN_AS_NAME.search(match["name"]):
            return match["name"]
    return _first_name(_DEFINITIONS, text)


def _first_name(patterns: Iterable[re.Pattern[str]], text: str) -> str | None:
    for pattern in patterns:
        match = pattern.fullmatch(text)
        if match and match["name"].lower() not in STOP:
            return match["name"]
    return None


def parts(text: str) -> tuple[str, ...]:
    """Return the two things that a compound question asks for, empty when it is one.

    A plain "and" separates nothing: "before and after hooks" and "connection pooling and
    transport" are about one thing.
    """
    if len(text) > 400 or "\n" in text:
        return ()
    found = [part for part in _SPLIT.split(text) if part]
    if len(found) == 2 and all(_content(part) >= _FEWEST_WORDS for part in found):
        return (found[0].strip(), found[1].strip())
    return ()


def _content(text: str) -> int:
    if not text.isascii():
        return len(text.strip()) // 2
    return sum(word.lower() not in STOP for word in words(text))
