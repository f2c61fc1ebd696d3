"""Which templates a model gets, by its name and by the question."""

from __future__ import annotations

import pytest

from paparatsd.embeddings.families import FAMILIES, family_of, fill, templates_of


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("bge-code-v1", "bge-code"),
        ("BAAI/bge-code-v1", "bge-code"),
        ("qwen3-embedding:0.6b", "qwen3"),
        ("Qwen/Qwen3-Embedding-8B", "qwen3"),
        ("nomic-embed-text", "nomic"),
        ("nomic-embed-text:v1.5", "nomic"),
        ("nomic-ai/nomic-embed-code", "coderank"),
        ("nomic-ai/CodeRankEmbed", "coderank"),
        ("intfloat/multilingual-e5-large", "e5"),
        ("e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("intfloat/e5-mistral-7b-instruct", "e5-instruct"),
        ("jinaai/jina-code-embeddings-1.5b", "jina"),
        ("jina-embeddings-v2-base-code", "none"),
        ("text-embedding-3-small", "none"),
        ("bge-m3", "none"),
        ("node5-embed", "none"),
        ("fake", "none"),
    ],
)
def test_the_family_shows_in_the_name(model: str, family: str) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize("family", FAMILIES)
def test_every_template_takes_the_text_once(family: str) -> None:
    chosen = FAMILIES[family].templates
    for template in (chosen.query, chosen.document, chosen.code, chosen.question):
        assert template == "" or template.count("{text}") == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("retry with backoff", "query"),
        ("let me see the class diagram tool", "query"),
        ("import of data into the store", "query"),
        ("where is the retry policy?", "question"),
        ("How do we parse dates", "question"),
        ("the parser fails on dates, any idea?", "question"),
        ("function handleAuth() {", "code"),
        ("def parse(text):", "code"),
        ("const x = require('y')", "code"),
        ("items.map(x => x.id)", "code"),
        ("#include <stdio.h>", "code"),
        ("return a + b;", "code"),
    ],
)
def test_code_and_questions_are_asked_in_their_own_way(text: str, kind: str) -> None:
    templates = templates_of("bge-code", "", "")
    assert templates.for_query(text) == getattr(templates, kind)


def test_a_template_that_was_set_is_used_for_all_questions() -> None:
    templates = templates_of("bge-code", "Find: {text}", "")
    assert {templates.for_query(text) for text in ("x => y", "why?", "words")} == {"Find: {text}"}
    assert templates.document == "{text}"
    assert templates_of("e5", "", "doc: {text}").document == "doc: {text}"


def test_a_text_is_put_in_as_it_is() -> None:
    assert fill("passage: {text}", "a {text} b") == "passage: a {text} b"
    assert fill("{text}", "") == " "
    assert fill("{text}", "half \ud800") == "half ?"
