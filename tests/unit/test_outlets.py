"""What `paparats status` says of what is sent to other programs, and to whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.endpoints.posting import Sent
from paparatsd.interfaces.cli.status import daemon_lines, outlet_lines
from paparatsd.interfaces.shapes import outlet_json
from paparatsd.outlets import is_local, outlets_of
from paparatsd.settings import (
    EmbedderSettings,
    IndexSettings,
    Places,
    SearchSettings,
    Settings,
    StoreSettings,
)
from tests.harness.fake_control import daemon_status

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = Settings(Places(*[Path("/x")] * 5))
VOYAGE = EmbedderSettings(provider="voyage", url="https://api.voyageai.com", api_key="pa-1")


def lines(settings: Settings, sent: Sent | None) -> list[str]:
    answer: Mapping[str, Any] = {
        "outlets": [
            outlet_json(outlet)
            for outlet in outlets_of(
                settings, [] if sent is None else [("all", settings.embedder.url, sent)]
            )
        ]
    }
    return outlet_lines(answer)


def test_with_the_built_in_model_nothing_leaves_the_machine() -> None:
    assert lines(SETTINGS, None) == ["nothing leaves this machine"]


def test_what_goes_to_a_vendor_is_said_with_its_host_and_amount() -> None:
    sent = Sent(requests=3, texts=1_234, chars=5_678_901, tokens=1_400_000)
    assert lines(replace(SETTINGS, embedder=VOYAGE), sent) == [
        "leaves this machine: texts of chunks and notes and questions, to api.voyageai.com "
        "(embeddings): 1,234 texts, 5,678,901 characters, 1,400,000 tokens as counted there since "
        "the start"
    ]


def test_what_goes_to_a_server_on_this_machine_stays_there() -> None:
    local = EmbedderSettings(provider="ollama", url="http://127.0.0.1:11434")
    settings = replace(SETTINGS, embedder=local, search=SearchSettings(meaning=False))
    assert lines(settings, Sent(1, 2, 30)) == [
        "nothing leaves this machine",
        "stays on this machine: texts of chunks and notes, to 127.0.0.1:11434 (embeddings): "
        "2 texts, 30 characters since the start",
    ]


def test_a_vector_store_elsewhere_gets_vectors() -> None:
    store = StoreSettings(qdrant_url="https://cluster.example:443", qdrant_api_key="q")
    said = lines(replace(SETTINGS, store=store, embedder=VOYAGE), Sent())
    assert said[0].endswith("to api.voyageai.com (embeddings)")
    assert said[1] == (
        "leaves this machine: vectors of chunks, to cluster.example:443 (vector store)"
    )


def test_an_older_daemon_that_does_not_say_is_not_spoken_for() -> None:
    assert outlet_lines({}) == []
    assert not [line for line in daemon_lines(daemon_status()) if "machine" in line]


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9:1", True),
        ("http://localhost:11434", True),
        ("http://[::1]:8080", True),
        ("http://192.168.1.7:11434", False),
        ("http://localhost.example.com", False),
        ("https://api.openai.com", False),
        ("http://0.0.0.0:1", False),
    ],
)
def test_only_loopback_counts_as_this_machine(url: str, *, local: bool) -> None:
    assert is_local(url) is local


def test_what_a_shared_server_is_given_is_said() -> None:
    far = StoreSettings(qdrant_url="https://q.example:443")

    def said(settings: Settings) -> str:
        return "\n".join(lines(settings, None))

    assert "vectors of chunks, to q.example:443" in said(replace(SETTINGS, store=far))
    publishing = replace(SETTINGS, store=replace(far, publish=True))
    assert "vectors, texts, names and paths of everything indexed" in said(publishing)
    searching = replace(SETTINGS, store=far, index=IndexSettings(enabled=False))
    assert "vectors of questions, to q.example:443" in said(searching)
