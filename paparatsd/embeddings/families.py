"""What a model was trained to see around a question and around a document, by its family.

The texts are part of the models' interfaces, as their cards give them; another wording costs
quality. Which family a model belongs to shows in its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PLAIN = "{text}"
_WEB_TO_CODE = "Given a web search query, retrieve relevant code that can help answer the query."
_CODE_TO_CODE = (
    "Given a piece of code, retrieve code that is semantically equivalent to the input code."
)
_MIXED = (
    "Given a question that consists of a mix of text and code snippets, retrieve relevant answers "
    "that also consist of a mix of text and code snippets, and can help answer the question."
)
_PASSAGES = "Given a web search query, retrieve relevant passages that answer the query"
_CODE_SIGN = re.compile(
    r"=>|#include\b|\brequire\(|\bpub fn |[{};]\s*$|^\s*import [\w.]+\s*$|^\s*from [\w.]+ import "
    r"|^\s*(?:export |async |public |private |static )*"
    r"(?:function|const|let|var|class|def|func|fn) \w+\s*[=({:<;]",
    re.MULTILINE,
)
_QUESTION = re.compile(
    r"\s*(?:how|what|why|where|when|which|can|does|is|are)\b|.*\?\s*$", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Templates:
    """Texts with `{text}` in them: around a document, a search, a piece of code, a question.

    "" for code or question: as a search.
    """

    query: str = PLAIN
    document: str = PLAIN
    code: str = ""
    question: str = ""

    def for_query(self, text: str) -> str:
        """Return the template that suits what somebody asks."""
        if self.code and _CODE_SIGN.search(text):
            return self.code
        if self.question and _QUESTION.match(text):
            return self.question
        return self.query


@dataclass(frozen=True, slots=True)
class Family:
    """Models that take the same templates; `names` is a pattern found in their names."""

    names: str
    templates: Templates


FAMILIES = {
    "bge-code": Family(
        "bge-code",
        Templates(
            query=f"<instruct>{_WEB_TO_CODE}\n<query>{PLAIN}",
            code=f"<instruct>{_CODE_TO_CODE}\n<query>{PLAIN}",
            question=f"<instruct>{_MIXED}\n<query>{PLAIN}",
        ),
    ),
    "coderank": Family(
        "coderank|nomic-embed-code|swerank",
        Templates(query=f"Represent this query for searching relevant code: {PLAIN}"),
    ),
    "nomic": Family(
        "nomic-embed",
        Templates(query=f"search_query: {PLAIN}", document=f"search_document: {PLAIN}"),
    ),
    "e5-instruct": Family(
        r"e5-mistral|\be5\b.*instruct", Templates(query=f"Instruct: {_PASSAGES}\nQuery: {PLAIN}")
    ),
    "e5": Family(
        r"(?:^|[^a-z])e5(?:$|[^a-z0-9])",
        Templates(query=f"query: {PLAIN}", document=f"passage: {PLAIN}"),
    ),
    "jina": Family(
        "jina-code",
        Templates(
            query=f"Find the most relevant code snippet given the following query:\n{PLAIN}",
            document=f"Candidate code snippet:\n{PLAIN}",
            code=f"Find an equivalent code snippet given the following code snippet:\n{PLAIN}",
        ),
    ),
    "qwen3": Family("qwen", Templates(query=f"Instruct: {_PASSAGES}\nQuery:{PLAIN}")),
    "none": Family("", Templates()),
}
"""In the order in which names are compared; the last one has all others."""


def family_of(model: str) -> str:
    """Return the name of the family of a model, by the model's name."""
    name = model.lower()
    return next(family for family, known in FAMILIES.items() if re.search(known.names, name))


def templates_of(family: str, query: str, document: str) -> Templates:
    """Return the templates of a family, with those that somebody set (not "") in their place."""
    chosen = FAMILIES[family].templates
    return Templates(
        query or chosen.query,
        document or chosen.document,
        "" if query else chosen.code,
        "" if query else chosen.question,
    )


def fill(template: str, text: str) -> str:
    """Put a text into a template; an empty text becomes a space, which every endpoint takes."""
    filled = template.replace(PLAIN, text) or " "
    # A notebook can spell half of a surrogate pair; JSON in UTF-8 cannot.
    return filled.encode(errors="replace").decode()
