"""Variables of the systems before that have no meaning here: what holds instead of each.

Those that mean the same as one of our settings are in the table of `loading.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOG = "the log goes to paparatsd.log in the state directory, or to journald, never to a pipe"
_PLACE = "the index is in the state directory: PAPARATS_STATE_DIR"
_SERVER = "that is a matter of the embedding server, which you start yourself"
_CONTROL = "commands go over a Unix socket: PAPARATS_RUNTIME_DIR"
_TELEMETRY = "there is no telemetry"
_LOCAL = (
    "nothing is sent anywhere while no provider is set; a local model of your own is named by "
    "embedder.provider and embedder.model"
)

WITHOUT_EFFECT: Mapping[str, str] = {
    # code-indexer
    "INDEX_ROOT": _PLACE,
    "STALE_TTL": "changes are noticed as they happen, and each search compares with the disk first",
    "UPSERT_BATCH": "points are written as many at a time as suits the store",
    "PARANOID_HASH": "four stat values are compared, and what was written of late is hashed again",
    "EMBED_CACHE_MAX_GB": "the cache of embeddings keeps half a gigabyte",
    "WATCH_DEBOUNCE": "changes are acted upon at once; watch.debounce_ms is in milliseconds",
    "WATCH_QUIET_PERIOD": "changes are acted upon at once; watch.debounce_ms is in milliseconds",
    # semcode
    "SCM_DB_DIR": _PLACE,
    "SCM_TOP_K": "how many candidates are ranked is no matter of settings",
    "SCM_MAX_WORKSPACES": "any number of directories is open at once, within bounded memory",
    "SCM_LOG_FILE": _LOG,
    "SCM_LOG_MAX_BYTES": _LOG,
    "SCM_LOG_DISABLE": _LOG,
    "SCM_LOG_STDERR": _LOG,
    "SCM_LOCAL_EMBED_MODEL": _LOCAL,
    "SCM_LOCAL_EMBED_DEVICE": _LOCAL,
    "SCM_LOCAL_EMBED_MAX_SEQ": _LOCAL,
    "SCM_LOCAL_EMBED_BATCH": _LOCAL,
    # paparats
    "EMBED_TTL": _SERVER,
    "LLAMA_BATCH": _SERVER,
    "LLAMA_THREADS": _SERVER,
    "INDEX_DOCS": "documents are always indexed, beside code",
    "QUERY_CACHE_TTL_MS": "an answer is kept until something in its projects changes",
    "PAPARATS_INDEXER_URL": _CONTROL,
    "PAPARATS_SERVER_URL": _CONTROL,
    "PAPARATS_METRICS": _TELEMETRY,
    "PAPARATS_ANALYTICS_ENABLED": _TELEMETRY,
    "PAPARATS_ANALYTICS_DB_PATH": _TELEMETRY,
    "PAPARATS_ANALYTICS_RETENTION_DAYS": _TELEMETRY,
    "PAPARATS_ANALYTICS_RETENTION_RUN_HOUR": _TELEMETRY,
    "PAPARATS_LOG_RESULT_FILES": _TELEMETRY,
    "PAPARATS_LOG_QUERY_TEXT": _TELEMETRY,
    "PAPARATS_IDENTITY_HEADER": _TELEMETRY,
    "PAPARATS_REFORMULATION_WINDOW_MS": _TELEMETRY,
    "PAPARATS_TELEMETRY_SAMPLE_RATE": _TELEMETRY,
    "PAPARATS_OTEL_ENABLED": _TELEMETRY,
    "PAPARATS_UI_BASIC_AUTH": "there is no console in the browser",
    "PAPARATS_UI_DEMO": "there is no console in the browser",
}
"""By variable, the end of a sentence."""

TOO_COMMON = frozenset(
    {"DEBUG", "REPOS", "REPOS_DIR", "STATE_DB_PATH", "CONFIG_DIR", "CHANGE_DETECTION"}
    | {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME"}
    | {"OTEL_RESOURCE_ATTRIBUTES", "HTTPS_PROXY"}
)
"""Without effect, or read by libraries; set for other programs as a rule, so nothing is said."""


def former_notes(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that is set without effect."""
    return [
        f"{variable} has no meaning here: {instead}"
        for variable, instead in WITHOUT_EFFECT.items()
        if environment.get(variable, "").strip()
    ]
