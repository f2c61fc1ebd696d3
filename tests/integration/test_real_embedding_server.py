"""What must hold of any server with OpenAI's embeddings, asked of a real one.

Runs when PAPARATS_TEST_EMBEDDINGS_URL is set (and PAPARATS_TEST_EMBEDDINGS_MODEL, if the server
looks at the name), such as to `llama-server --embeddings` or llama-cpp-python's server.
"""

from __future__ import annotations

import os
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.embeddings.http import HttpEmbedder
from paparatsd.settings import EmbedderSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

URL = os.environ.get("PAPARATS_TEST_EMBEDDINGS_URL", "")
MODEL = os.environ.get("PAPARATS_TEST_EMBEDDINGS_MODEL", "any")
pytestmark = [
    pytest.mark.skipif(not URL, reason="PAPARATS_TEST_EMBEDDINGS_URL unset"),
    pytest.mark.timeout(600),  # a real model on whatever machine
]

TEXTS = [
    "def read_file(path):\n    return open(path).read()",
    "The cat sleeps on the sofa all day.",
    "SELECT name FROM users WHERE age > 30;",
    " ",
    "Überraschung: naïve café 東京 🙂",
]


@asynccontextmanager
async def embedder() -> AsyncIterator[HttpEmbedder]:
    made = HttpEmbedder(
        EmbedderSettings(provider="openai", url=URL, model=MODEL),
        jitter=random.Random(1),  # noqa: S311 - equal waits in every run
    )
    yield made
    await made.close()


async def test_a_text_has_one_vector_alone_and_in_company_at_its_place() -> None:
    async with embedder() as client:
        together = (await client.embed_documents(TEXTS)).vectors
        alone = np.concatenate([(await client.embed_documents([t])).vectors for t in TEXTS])

    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert (together * alone).sum(axis=1) == pytest.approx(1.0, abs=1e-2)


async def test_a_question_is_nearest_to_what_answers_it() -> None:
    async with embedder() as client:
        documents = (await client.embed_documents(TEXTS[:3])).vectors
        questions = [
            await client.embed_query(text)
            for text in ("how is a file opened and read", "a sleeping animal", "database query")
        ]

    assert [int(np.argmax(documents @ question)) for question in questions] == [0, 1, 2]


async def test_a_text_longer_than_the_model_reads_costs_no_vector() -> None:
    long = "".join(f"value_{n} = compute({n}) + other_{n}\n" for n in range(400))
    async with embedder() as client:
        answer = await client.embed_documents([TEXTS[0], long, TEXTS[1]])
        again = await client.embed_documents([TEXTS[0], TEXTS[1]])

    assert answer.failed == ()
    assert np.linalg.norm(answer.vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert (answer.vectors[[0, 2]] * again.vectors).sum(axis=1) == pytest.approx(1.0, abs=1e-2)
