"""Variables of the systems before: each means one of our settings, or is told to mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings
from paparatsd.former_variables import TOO_COMMON, WITHOUT_EFFECT, former_notes
from paparatsd.interfaces.cli.background import with_former_flags
from paparatsd.interfaces.cli.context import Context
from paparatsd.interfaces.cli.output import Output
from paparatsd.interfaces.cli.parser import parse
from paparatsd.loading import OPTIONS, load_settings, variable_of
from paparatsd.providers import PROVIDERS
from paparatsd.rerank_providers import RERANK_PROVIDERS
from paparatsd.settings import Places

if TYPE_CHECKING:
    from pathlib import Path

CODE_INDEXER = """
    OLLAMA_URL QDRANT_URL EMBED_MODEL INDEX_ROOT STALE_TTL EMBED_BATCH UPSERT_BATCH MAX_FILE_BYTES
    OLLAMA_TIMEOUT EMBED_CONCURRENCY EMBED_CACHE_MAX_GB PARANOID_HASH WATCH_DEBOUNCE
    WATCH_QUIET_PERIOD WATCH_SWEEP_INTERVAL MCP_ALLOWED_ROOTS
"""
SEMCODE = """
    VOYAGE_API_KEY SCM_EMBED_MODEL SCM_EMBED_DTYPE SCM_EMBED_BACKEND SCM_EMBED_MAX_RETRIES
    SCM_EMBED_MIN_INTERVAL SCM_EMBED_CONCURRENCY SCM_EMBED_CHAR_BUDGET SCM_LOCAL_EMBED_MODEL
    SCM_LOCAL_EMBED_DEVICE SCM_LOCAL_EMBED_MAX_SEQ SCM_LOCAL_EMBED_BATCH SCM_DB_DIR SCM_TOP_K
    SCM_TOP_N SCM_MAX_WORKSPACES SCM_WATCH SCM_LOG_FILE SCM_LOG_MAX_BYTES SCM_LOG_DISABLE
    SCM_LOG_STDERR HTTPS_PROXY COHERE_API_KEY SCM_RERANK_BACKEND SCM_RERANK_MODEL
    SCM_RERANK_MIN_INTERVAL SCM_QUERY_EXPANSION SCM_LLM_BASE_URL SCM_LLM_MODEL SCM_LLM_API_KEY
    SCM_LLM_TIMEOUT
"""
PAPARATS = """
    PORT QDRANT_URL QDRANT_API_KEY EMBED_URL EMBED_BATCH_SIZE EMBED_BATCH_CHARS EMBED_TTL
    LLAMA_BATCH LLAMA_THREADS EMBEDDING_PROVIDER EMBEDDING_MODEL EMBEDDING_DIMENSIONS
    OPENAI_API_KEY VOYAGE_API_KEY PAPARATS_METRICS PAPARATS_PROJECTS PAPARATS_DOCS_AUDIENCE
    PAPARATS_KNOWLEDGE_TOKENS PAPARATS_KNOWLEDGE_AUDIENCE PAPARATS_KNOWLEDGE_PROJECTS
    PAPARATS_UI_BASIC_AUTH PAPARATS_UI_DEMO PAPARATS_CORS_ORIGINS PAPARATS_INDEXER_URL
    PAPARATS_SERVER_URL PAPARATS_ANALYTICS_ENABLED PAPARATS_ANALYTICS_DB_PATH
    PAPARATS_ANALYTICS_RETENTION_DAYS PAPARATS_ANALYTICS_RETENTION_RUN_HOUR
    PAPARATS_LOG_RESULT_FILES PAPARATS_LOG_QUERY_TEXT PAPARATS_IDENTITY_HEADER
    PAPARATS_REFORMULATION_WINDOW_MS PAPARATS_TELEMETRY_SAMPLE_RATE PAPARATS_OTEL_ENABLED
    OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_SERVICE_NAME
    OTEL_RESOURCE_ATTRIBUTES TEXT_EMBEDDING_PROVIDER TEXT_EMBEDDING_MODEL
    TEXT_EMBEDDING_DIMENSIONS PAPARATS_PROJECT_SUFFIX CRON CRON_FAST
    QUERY_CACHE_MAX_ENTRIES QUERY_CACHE_TTL_MS REPOS CHANGE_DETECTION
    INDEX_DOCS REPOS_DIR STATE_DB_PATH CONFIG_DIR PAPARATS_GROUP DEBUG
"""
SETTINGS = {
    variable: key
    for key, option in OPTIONS.items()
    for variable in (variable_of(key), *option.variables)
}
KEYS = {one.key_variable for one in PROVIDERS.values()} - {""}
KEYS |= {one.key_variable for one in RERANK_PROVIDERS.values()} - {""}
VALUES = {
    "OLLAMA_URL": ("http://lan:11434", "embedder.url", "http://lan:11434"),
    "QDRANT_URL": ("http://q:6333", "store.qdrant_url", "http://q:6333"),
    "EMBED_MODEL": ("qwen3-embedding:8b", "embedder.model", "qwen3-embedding:8b"),
    "EMBED_BATCH": ("48", "embedder.batch_texts", 48),
    "MAX_FILE_BYTES": ("1048576", "index.max_file_bytes", 1_048_576),
    "OLLAMA_TIMEOUT": ("120", "embedder.timeout_s", 120.0),
    "WATCH_SWEEP_INTERVAL": ("300", "index.reconcile_min_s", 300.0),
    "MCP_ALLOWED_ROOTS": ("~/src:/srv/code", "projects.allowed_roots", ("~/src", "/srv/code")),
    "SCM_EMBED_DTYPE": ("int8", "embedder.dtype", "int8"),
    "SCM_EMBED_MIN_INTERVAL": ("21", "embedder.min_interval_s", 21.0),
    "SCM_EMBED_CHAR_BUDGET": ("200000", "embedder.batch_chars", 200_000),
    "SCM_TOP_N": ("20", "search.top_n", 20),
    "SCM_WATCH": ("0", "watch.enabled", False),
    "QUERY_CACHE_MAX_ENTRIES": ("0", "search.cache_entries", 0),
    "PAPARATS_PROJECTS": ("a, b", "search.allowed_projects", ("a", "b")),
}
ALL = sorted({*CODE_INDEXER.split(), *SEMCODE.split(), *PAPARATS.split()})


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(*(tmp_path / kind for kind in ("config", "state", "cache", "run", "data")))


@pytest.mark.parametrize("variable", ALL)
def test_each_variable_is_a_setting_a_key_or_told_to_mean_nothing(variable: str) -> None:
    ways = (SETTINGS, KEYS, WITHOUT_EFFECT, TOO_COMMON)
    assert sum(variable in way for way in ways) == 1


@pytest.mark.parametrize("variable", list(VALUES))
def test_a_variable_means_here_what_it_meant_there(places: Places, variable: str) -> None:
    text, key, value = VALUES[variable]
    assert SETTINGS[variable] == key
    environment = {variable: text}
    if key.startswith("embedder."):  # without a provider nothing of these holds
        environment |= {"EMBEDDING_PROVIDER": "voyage", "VOYAGE_API_KEY": "pa-1"}
    settings = load_settings(places, environment)
    section, _, name = key.partition(".")
    assert getattr(getattr(settings, section), name) == value


@pytest.mark.parametrize("variable", list(WITHOUT_EFFECT))
def test_what_is_set_without_effect_is_told_with_what_holds_instead(
    places: Places, variable: str
) -> None:
    (note,) = load_settings(places, {variable: "1"}).notes
    assert note.startswith(f"{variable} has no meaning here: ")
    assert former_notes({variable: " "}) == []


def test_what_other_programs_are_told_is_not_commented_upon(places: Places) -> None:
    assert load_settings(places, dict.fromkeys(TOO_COMMON, "x")).notes == ()


@pytest.mark.parametrize("text", ["src", "~ann", ":", "./x,/y"])
def test_folders_that_are_not_absolute_are_refused(places: Places, text: str) -> None:
    with pytest.raises(BadSettings, match="MCP_ALLOWED_ROOTS"):
        load_settings(places, {"MCP_ALLOWED_ROOTS": text})


def test_no_folder_at_all_can_be_said(places: Places) -> None:
    assert load_settings(places, {"MCP_ALLOWED_ROOTS": "none"}).projects.allowed_roots == ()


def test_flags_of_old_become_variables_of_the_daemon_that_is_started(places: Places) -> None:
    arguments = parse(["mcp", "--toolset", "projects", "--ollama-url", "http://lan:11434"])
    output = Output.of_process({})
    environment = {"OLLAMA_URL": "http://other", "EMBED_MODEL": "kept"}
    starting = with_former_flags(Context(places, output, arguments, environment))
    assert starting.environment == {"OLLAMA_URL": "http://lan:11434", "EMBED_MODEL": "kept"}
