"""Which reranker and which chat model the settings mean, under our names and older ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings
from paparatsd.loading import load_settings
from paparatsd.settings import ExpandSettings, Places, RerankSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "config").mkdir()
    return Places(tmp_path / "config", *[tmp_path / name for name in ("s", "c", "r", "d")])


def rerank(places: Places, environment: Mapping[str, str]) -> RerankSettings:
    return load_settings(places, environment).rerank


def test_a_key_alone_sends_nothing_anywhere(places: Places) -> None:
    keys = {"VOYAGE_API_KEY": "pa-1", "COHERE_API_KEY": "c-1", "JINA_API_KEY": "j-1"}
    assert rerank(places, keys) == RerankSettings()
    assert load_settings(places, keys).expand == ExpandSettings()


@pytest.mark.parametrize(
    ("environment", "meant"),
    [
        ({"VOYAGE_API_KEY": "pa-1", "COHERE_API_KEY": "c"}, ("voyage", "rerank-2.5", "pa-1")),
        ({"COHERE_API_KEY": "c"}, ("cohere", "rerank-v3.5", "c")),
        ({"COHERE_API_KEY": "c", "SCM_RERANK_MODEL": "m"}, ("cohere", "m", "c")),
        ({"PAPARATS_RERANK_URL": "http://10.0.0.1:7997"}, ("compatible", "", None)),
        ({}, ("off", "", None)),
        ({"VOYAGE_API_KEY": "  "}, ("off", "", None)),
        (
            {"PAPARATS_EMBEDDER_PROVIDER": "voyage", "PAPARATS_EMBEDDER_API_KEY": "pa-2"},
            ("voyage", "rerank-2.5", "pa-2"),
        ),
    ],
)
def test_auto_takes_who_has_a_key_or_the_endpoint_that_is_set(
    places: Places, environment: Mapping[str, str], meant: tuple[str, str, str | None]
) -> None:
    found = rerank(places, {"SCM_RERANK_BACKEND": "auto", **environment})
    assert (found.provider, found.model, found.api_key) == meant


def test_auto_without_anything_is_off_and_says_so(places: Places) -> None:
    settings = load_settings(places, {"SCM_RERANK_BACKEND": "auto"})
    assert any("not reranked" in note for note in settings.notes)


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("voyage", "https://api.voyageai.com"),
        ("cohere", "https://api.cohere.com"),
        ("jina", "https://api.jina.ai"),
        ("tei", "http://127.0.0.1:8080"),
        ("llama", "http://127.0.0.1:8080"),
        ("vllm", "http://127.0.0.1:8000"),
        ("infinity", "http://127.0.0.1:7997"),
    ],
)
def test_every_provider_has_its_usual_place(places: Places, provider: str, url: str) -> None:
    found = rerank(places, {"SCM_RERANK_BACKEND": provider, "PAPARATS_RERANK_API_KEY": "k"})
    assert (found.provider, found.url, found.api_key) == (provider, url, "k")


def test_a_key_of_voyage_from_mongodb_is_sent_there(places: Places) -> None:
    found = rerank(places, {"SCM_RERANK_BACKEND": "voyage", "VOYAGE_API_KEY": "al-1"})
    assert found.url == "https://ai.mongodb.com/v1"


def test_the_pace_of_a_trial_key_can_be_set(places: Places) -> None:
    environment = {"SCM_RERANK_BACKEND": "Cohere", "COHERE_API_KEY": "c"}
    found = rerank(places, {**environment, "SCM_RERANK_MIN_INTERVAL": "6.5"})
    assert found.min_interval_s == 6.5


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"SCM_RERANK_BACKEND": "voyage"}, "set VOYAGE_API_KEY"),
        ({"SCM_RERANK_BACKEND": "cohere"}, "set COHERE_API_KEY"),
        ({"SCM_RERANK_BACKEND": "compatible"}, "rerank.url is not set"),
        ({"SCM_RERANK_BACKEND": "onnx"}, "folder of a cross-encoder"),
        ({"SCM_RERANK_BACKEND": "mystery"}, "allowed: off, auto, voyage"),
        ({"PAPARATS_RERANK_FLOORS": "voyage/rerank-2.5"}, "cohere/rerank-v3.5=0.2"),
        ({"PAPARATS_RERANK_FLOORS": "rerank-2.5=0.5"}, "floors such as"),
        ({"PAPARATS_RERANK_FLOORS": "voyage/rerank-2.5=nan"}, "floors such as"),
        ({"PAPARATS_RERANK_SEARCHES": "everything"}, "code and docs"),
        ({"SCM_QUERY_EXPANSION": "on"}, "needs expand.url and expand.model"),
        ({"SCM_QUERY_EXPANSION": "maybe"}, "off or expand or hyde or both"),
    ],
)
def test_what_cannot_work_is_told_with_what_to_do(
    places: Places, environment: Mapping[str, str], said: str
) -> None:
    with pytest.raises(BadSettings, match=said):
        load_settings(places, environment)


def test_a_reranker_without_a_provider_is_said_to_have_no_effect(places: Places) -> None:
    settings = load_settings(places, {"SCM_RERANK_MODEL": "rerank-2.5"})
    assert settings.rerank == RerankSettings()
    assert any("a reranker is set but rerank.provider is not" in note for note in settings.notes)


def test_the_older_names_of_the_chat_model_hold(places: Places) -> None:
    environment = {
        "SCM_QUERY_EXPANSION": "on",
        "SCM_LLM_BASE_URL": "http://127.0.0.1:11434/v1",
        "SCM_LLM_MODEL": "qwen3",
        "SCM_LLM_API_KEY": "hidden",
        "SCM_LLM_TIMEOUT": "12",
    }
    settings = load_settings(places, environment)
    assert settings.expand == ExpandSettings(
        "both", "http://127.0.0.1:11434/v1", "qwen3", "hidden", 12.0
    )
    assert "hidden" not in repr(settings)


def test_keys_are_in_no_representation(places: Places) -> None:
    settings = load_settings(places, {"SCM_RERANK_BACKEND": "auto", "VOYAGE_API_KEY": "pa-hidden"})
    assert settings.rerank.api_key == "pa-hidden"
    assert "pa-hidden" not in repr(settings)
