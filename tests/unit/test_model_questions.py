"""By whom a question is embedded while a model is on its way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.errors import EmbedderUnavailable
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.model_roles.embedders import OpenEmbedder, kept_settings, settings_of
from paparatsd.model_roles.questions import SILENT_S, Questions
from paparatsd.providers import keys_by_url
from paparatsd.search.asked_by import BUILT_IN
from paparatsd.settings import EmbedderSettings
from paparatsd.store.models import ModelRow
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPEC = EmbedderSpec("openai", "m", 2)


class Endpoint:
    """An embedder that can be away."""

    def __init__(self) -> None:
        self.asked = 0
        self.away = False

    async def embed_query(self, _text: str) -> NDArray[np.float32]:
        self.asked += 1
        if self.away:
            raise EmbedderUnavailable("connection refused")
        return np.ones(2, np.float32)


async def nothing() -> None:
    """Close nothing."""


def opened(embedder: Any, **more: Any) -> OpenEmbedder:
    return OpenEmbedder(EmbedderSettings(provider="openai"), SPEC, embedder, nothing, **more)


async def test_a_model_on_its_way_out_that_did_not_answer_is_left_alone_for_a_while() -> None:
    clock, endpoint = SetClock(), Endpoint()
    by = Questions(clock).asked_by(opened(endpoint), leaving=True)
    assert by.embed_query is not None
    assert len(await by.embed_query("x")) == 2
    endpoint.away = True
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable):
            await by.embed_query("x")
    assert endpoint.asked == 2, "each question would wait for it"
    endpoint.away = False
    await clock.sleep(SILENT_S)
    assert len(await by.embed_query("x")) == 2


async def test_the_model_that_stays_is_asked_each_time() -> None:
    endpoint = Endpoint()
    by = Questions(SetClock()).asked_by(opened(endpoint), leaving=False)
    endpoint.away = True
    assert by.embed_query is not None
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable):
            await by.embed_query("x")
    assert endpoint.asked == 3


def test_one_that_cannot_be_asked_says_so_and_the_built_in_one_is_the_search_process() -> None:
    questions = Questions(SetClock())
    gone = questions.asked_by(opened(None, problem="no such folder"), leaving=True)
    assert gone.embed_query is None
    assert not gone.built_in
    assert "openai m, cannot be asked any more" in gone.note
    assert questions.asked_by(opened(Endpoint(), built_in=True), leaving=True) == BUILT_IN


def test_a_key_goes_to_the_one_address_that_it_is_for_and_is_never_kept() -> None:
    own = EmbedderSettings(provider="openai", url="http://gpu:8000", api_key="own", model="m")
    environment = {"OPENAI_API_KEY": "sk-1", "VOYAGE_API_KEY": "al-2"}
    assert keys_by_url([own], environment) == {
        "https://api.openai.com": "sk-1",
        "https://ai.mongodb.com/v1": "al-2",
        "http://gpu:8000": "own",
    }
    row = ModelRow("code", "code", Fingerprint("f"), 2, kept_settings(own), "{}")
    assert "own" not in row.settings
    assert settings_of(row) == EmbedderSettings(provider="openai", url="http://gpu:8000", model="m")
