"""Where a Qdrant server is: the forms in which people write it, as one URL with its port."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

PORTS = {"http": 6333, "https": 443}
"""Ports of a URL that names none: Qdrant's own, and that of whatever ends TLS before it."""
FORMS = (
    "a Qdrant server as HOST, HOST:PORT or an http or https URL, with a path if a proxy wants one, "
    "without credentials (the key is store.qdrant_api_key); nothing at all for the embedded engine"
)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::\d{1,5})?")


def qdrant_url(text: str) -> str:
    """Return the URL that `text` means, with its port and without a final slash; "" is kept.

    Raises ValueError for what is no server: a path, `:memory:`, credentials, a query.
    """
    if not text:
        return ""
    if "://" not in text:
        if not _HOST.fullmatch(text):
            raise ValueError(text)
        text = f"http://{text}"
    parts = urlsplit(text)
    if parts.scheme not in PORTS or not parts.hostname or "@" in parts.netloc:
        raise ValueError(text)
    if parts.query or parts.fragment or any(sign.isspace() for sign in text):
        raise ValueError(text)
    if parts.port == 0:
        raise ValueError(text)
    port = parts.port or PORTS[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"
