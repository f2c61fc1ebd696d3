"""What each provider of embeddings implies: where it is, its key, its usual model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadSettings
from paparatsd.settings import EmbedderSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDERS = ("model2vec", "onnx", "sentence-transformers")
"""Providers whose models are in a folder on this disk."""
NAMES = ("static", "openai", "llama", "ollama", "voyage", *FOLDERS)
STATIC_NAMES = ("static", "local")
"""Names of the built-in model; the second is what one of the systems before says for "nothing is
sent anywhere"."""

ATLAS_KEY, ATLAS_URL = "al-", "https://ai.mongodb.com/v1"
"""Keys of Voyage that were made at MongoDB begin so, and hold there alone."""

_URL_NAMES = {"embedder": "EMBED_URL", "text_embedder": "text_embedder.url"}


@dataclass(frozen=True, slots=True)
class Provider:
    """`wire` is the kind of endpoint that it is; at `url` it is not usable without its key.

    Without a `url` it is no endpoint.
    """

    wire: str
    url: str
    model: str
    dimension: int
    key_variable: str = ""


PROVIDERS = {
    "openai": Provider(
        "openai", "https://api.openai.com", "text-embedding-3-small", 1536, "OPENAI_API_KEY"
    ),
    "llama": Provider("openai", "http://127.0.0.1:18434", "bge-code-v1", 1536),
    "ollama": Provider("ollama", "http://127.0.0.1:11434", "qwen3-embedding:0.6b", 1024),
    "voyage": Provider(
        "voyage", "https://api.voyageai.com", "voyage-code-3", 1024, "VOYAGE_API_KEY"
    ),
    **{name: Provider(name, "", "", 0) for name in FOLDERS},
}


def provider_name(text: str) -> str:
    """Return the provider that is meant; raises ValueError."""
    name = text.lower()
    if name in STATIC_NAMES:
        return "static"
    if name not in PROVIDERS:
        raise ValueError(text)
    return name


def resolve_embedder(
    chosen: EmbedderSettings, environment: Mapping[str, str], section: str = "embedder"
) -> EmbedderSettings:
    """Fill in what the provider implies; without one no code leaves the machine.

    Raises BadSettings when a service that needs a key has none, or cannot do what is set;
    `section` is where it was set.
    """
    if chosen.provider == "static":
        return EmbedderSettings()
    provider = PROVIDERS[chosen.provider]
    if chosen.provider in FOLDERS:
        if not chosen.model:
            raise BadSettings(
                f"{section}.model: with {chosen.provider} it must be the folder of a model"
            )
        return replace(chosen, url="", api_key=None)
    url = chosen.url or provider.url
    key = chosen.api_key or environment.get(provider.key_variable, "").strip() or None
    if provider.key_variable and url == provider.url and key is None:
        raise BadSettings(
            f"{section}.provider is {chosen.provider} but there is no key; set "
            f"{provider.key_variable}, or {_URL_NAMES[section]} for another endpoint"
        )
    if url == provider.url and chosen.provider == "voyage" and (key or "").startswith(ATLAS_KEY):
        url = ATLAS_URL
    if chosen.dtype != "float" and provider.wire != "voyage":
        raise BadSettings(
            f"{section}.dtype: {chosen.dtype!r} cannot be used with {chosen.provider}; allowed: "
            "float (only voyage has others)"
        )
    model, dimension = chosen.model, chosen.dimension
    if not model:
        model, dimension = provider.model, dimension or provider.dimension
    return replace(
        chosen, provider=provider.wire, url=url, api_key=key, model=model, dimension=dimension
    )


def keys_by_url(
    chosen: Sequence[EmbedderSettings], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the keys there are of embedding services, each for the one URL that it is meant for.

    `chosen` are resolved settings; what they say of their own URL wins.
    """
    keys = {}
    for provider in PROVIDERS.values():
        key = environment.get(provider.key_variable, "").strip() if provider.key_variable else ""
        if key:
            atlas = provider.wire == "voyage" and key.startswith(ATLAS_KEY)
            keys[ATLAS_URL if atlas else provider.url] = key
    return keys | {one.url: one.api_key for one in chosen if one.api_key}


def text_embedder_notes(values: Mapping[str, Any]) -> list[str]:
    """Return what was set without effect of the embedder for text, because no provider was."""
    if "text_embedder.provider" in values:
        return []
    if not any(key.startswith("text_embedder.") for key in values):
        return []
    return [
        "text_embedder.provider is not set: what else is set of it has no effect, documents are "
        "embedded as code is"
    ]


def embedder_notes(values: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Return what was set without effect, because no provider was."""
    if values.get("embedder.provider", "static") != "static":
        return []
    if any(values.get(f"embedder.{key}") for key in ("url", "model", "api_key")):
        return [
            "an embedding endpoint or model is set but EMBEDDING_PROVIDER is not: the built-in "
            "embedder is used"
        ]
    return [
        f"{provider.key_variable} alone changes nothing: the built-in embedder is used unless "
        f"EMBEDDING_PROVIDER={name}"
        for name, provider in PROVIDERS.items()
        if provider.key_variable and environment.get(provider.key_variable)
    ]
