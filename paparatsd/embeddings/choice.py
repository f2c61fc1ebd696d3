"""Which form of requests belongs to which provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.embeddings.ollama import OllamaWire
from paparatsd.embeddings.openai import OpenAiWire
from paparatsd.embeddings.voyage import VoyageWire

if TYPE_CHECKING:
    from paparatsd.embeddings.wire import Wire
    from paparatsd.settings import EmbedderSettings


def wire_of(settings: EmbedderSettings) -> Wire:
    """Return the form in which the chosen service is asked for the chosen model."""
    model, dimension = settings.model, settings.dimension
    if settings.provider == "voyage":
        return VoyageWire.of(model, dimension, settings.dtype)
    if settings.provider == "ollama":
        asked = dimension if settings.ask_dimension else 0
        return OllamaWire(model, asked, settings.keep_alive)
    return OpenAiWire.of(model, dimension, ask_dimension=settings.ask_dimension)
