"""What the daemon sends to other programs: to whom, and whether they are on this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paparatsd.status_model import Outlet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.endpoints.posting import Sent
    from paparatsd.settings import Settings


_EMBEDDED = {
    "all": "texts of chunks and notes",
    "code": "texts of chunks",
    "text": "texts of documents and notes",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What others than the embedder got so far; None: there is no such endpoint."""

    reranker: Sent | None = None
    chat: Sent | None = None


def outlets_of(
    settings: Settings, embedders: Sequence[tuple[str, str, Sent]], asked: Asked = Asked()
) -> tuple[Outlet, ...]:
    """Return where texts and vectors go.

    `embedders`: of each endpoint what for ("code", "text" or "all"), its URL, and what it got.
    """
    outlets = []
    questions = " and questions" if settings.search.meaning else ""
    for what, url, sent in embedders:
        outlets.append(
            Outlet(
                purpose="embeddings",
                what=f"{_EMBEDDED[what]}{questions}",
                host=host_of(url),
                local=is_local(url),
                texts=sent.texts,
                chars=sent.chars,
                tokens=sent.tokens,
            )
        )
    if settings.store.qdrant_url:
        url = settings.store.qdrant_url
        what = "vectors of chunks"
        if not settings.index.enabled:
            what = "vectors of questions"
        elif settings.store.publish:
            what = "vectors, texts, names and paths of everything indexed"
        outlets.append(Outlet("vector store", what, host_of(url), is_local(url)))
    if asked.reranker is not None:
        what = "questions and the texts that may answer them"
        outlets.append(_outlet("reranking", what, settings.rerank.url, asked.reranker))
    if asked.chat is not None:
        outlets.append(_outlet("rewriting", "questions", settings.expand.url, asked.chat))
    return tuple(outlets)


def _outlet(purpose: str, what: str, url: str, sent: Sent) -> Outlet:
    host = host_of(url)
    return Outlet(purpose, what, host, is_local(url), sent.texts, sent.chars, sent.tokens)


def host_of(url: str) -> str:
    """Return host and port of a URL, without user and password."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_local(url: str) -> bool:
    """Say whether a URL leads to this machine, as far as it shows: names are not looked up."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
