"""What each provider of reranking implies: where it is, its key, its usual model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings
from paparatsd.providers import ATLAS_KEY, ATLAS_URL
from paparatsd.settings import RerankSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.settings import EmbedderSettings

OFF, AUTO, LOCAL = "off", "auto", "onnx"
SEARCHES = ("code", "docs")


@dataclass(frozen=True, slots=True)
class RerankProvider:
    """Where a reranker usually is; with a `key_variable`, it is not usable there without a key."""

    url: str
    model: str = ""
    key_variable: str = ""


RERANK_PROVIDERS = {
    "voyage": RerankProvider("https://api.voyageai.com", "rerank-2.5", "VOYAGE_API_KEY"),
    "cohere": RerankProvider("https://api.cohere.com", "rerank-v3.5", "COHERE_API_KEY"),
    "jina": RerankProvider(
        "https://api.jina.ai", "jina-reranker-v2-base-multilingual", "JINA_API_KEY"
    ),
    "tei": RerankProvider("http://127.0.0.1:8080"),
    "llama": RerankProvider("http://127.0.0.1:8080"),
    "vllm": RerankProvider("http://127.0.0.1:8000"),
    "infinity": RerankProvider("http://127.0.0.1:7997"),
    "compatible": RerankProvider(""),
}
RERANK_NAMES = (OFF, AUTO, *RERANK_PROVIDERS, LOCAL)
AUTOMATIC = ("voyage", "cohere")
"""Whose key is looked for, in this order, by `auto`."""


def reranker_name(text: str) -> str:
    """Return the provider that is meant; raises ValueError."""
    name = text.lower()
    name = OFF if name == "none" else name
    if name not in RERANK_NAMES:
        raise ValueError(text)
    return name


def resolve_reranker(
    chosen: RerankSettings, embedder: EmbedderSettings, environment: Mapping[str, str]
) -> RerankSettings:
    """Fill in what the provider implies; `embedder` as it is after its own was filled in.

    Raises BadSettings when a service that needs a key has none, or the folder of a model is
    missing.
    """
    provider = chosen.provider
    if provider == AUTO:
        provider = _found(chosen, embedder, environment)
    if provider == OFF:
        return RerankSettings()
    if provider == LOCAL:
        if not chosen.model:
            raise BadSettings("rerank.model: with onnx it must be the folder of a cross-encoder")
        return replace(chosen, url="", api_key=None)
    usual = RERANK_PROVIDERS[provider]
    url = chosen.url or usual.url
    if not url:
        raise BadSettings("rerank.provider is compatible but rerank.url is not set")
    key = _key_of(provider, chosen, embedder, environment)
    if usual.key_variable and url == usual.url and key is None:
        raise BadSettings(
            f"rerank.provider is {provider} but there is no key; set {usual.key_variable}, or "
            "rerank.url for another endpoint"
        )
    if provider == "voyage" and url == usual.url and (key or "").startswith(ATLAS_KEY):
        url = ATLAS_URL
    model = chosen.model or usual.model
    return replace(chosen, provider=provider, url=url, api_key=key, model=model)


def _found(
    chosen: RerankSettings, embedder: EmbedderSettings, environment: Mapping[str, str]
) -> str:
    """Return what `auto` means: who has a key, else the endpoint that is set, else off."""
    if chosen.url:
        return "compatible"
    keyless = replace(chosen, api_key=None)
    having = (one for one in AUTOMATIC if _key_of(one, keyless, embedder, environment))
    return next(having, OFF)


def _key_of(
    provider: str,
    chosen: RerankSettings,
    embedder: EmbedderSettings,
    environment: Mapping[str, str],
) -> str | None:
    """Return the key for a provider: its own, or that of the embedder if that is the same one."""
    if chosen.api_key:
        return chosen.api_key
    variable = RERANK_PROVIDERS[provider].key_variable
    found = environment.get(variable, "").strip() if variable else ""
    if not found and provider == "voyage" and embedder.provider == "voyage":
        found = embedder.api_key or ""
    return found or None


def rerank_notes(chosen: RerankSettings, resolved: RerankSettings) -> list[str]:
    """Return what was set without effect."""
    if chosen.provider == AUTO and resolved.provider == OFF:
        return [
            "rerank.provider is auto, but there is no VOYAGE_API_KEY, no COHERE_API_KEY and no "
            "rerank.url: answers are not reranked"
        ]
    if chosen.provider == OFF and (chosen.url or chosen.model or chosen.api_key):
        return ["a reranker is set but rerank.provider is not: answers are not reranked"]
    return []
