"""Loads the settings: the table of what can be set, and how flags, environment and file combine.

Every setting is `section.key`, with `section` and `key` as in `settings.py`. It can be written in
`config.toml` as `key` under `[section]`, in the environment as `PAPARATS_SECTION_KEY` (and the
older names in the table), and as `--set section.key=value`. Secrets have no flag: other users can
read a command line.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from paparatsd.embeddings.families import FAMILIES
from paparatsd.embeddings.model_folder import POOLINGS
from paparatsd.errors import BadQuery, BadSettings
from paparatsd.former_variables import former_notes
from paparatsd.naming import AUDIENCE_ALLOWED, check_group_name
from paparatsd.options import (
    MAX_SUFFIX_CHARS,
    MIN_TOKEN_CHARS,
    Folders,
    Kind,
    Names,
    Seconds,
    Switch,
    Template,
    Text,
    Whole,
    access_token,
    audience_label,
    collection_suffix,
    http_url,
    loopback_host,
    one_of,
    origin,
    span,
)
from paparatsd.outlets import is_local
from paparatsd.private_file import is_private, read_token
from paparatsd.providers import (
    NAMES,
    embedder_notes,
    keys_by_url,
    provider_name,
    resolve_embedder,
    text_embedder_notes,
)
from paparatsd.publication import publication_of
from paparatsd.remotes.cron import parse_cron
from paparatsd.rerank.scores import read_floor
from paparatsd.rerank_providers import (
    RERANK_NAMES,
    SEARCHES,
    rerank_notes,
    reranker_name,
    resolve_reranker,
)
from paparatsd.settings import EmbedderSettings, Settings, process_environment
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.sources.remote_address import git_tokens
from paparatsd.store.address import FORMS, qdrant_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from paparatsd.settings import Places

MAX_SETTINGS_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: its kind, the older variables that mean the same, whether it is a secret."""

    kind: Kind
    variables: tuple[str, ...] = ()
    secret: bool = False


def _group(text: str) -> str:
    try:
        return check_group_name(text)
    except BadQuery as error:
        raise ValueError(text) from error


def _schedule(text: str) -> str:
    try:
        return text.lower() if text.lower() == "off" else parse_cron(text).text
    except BadQuery as error:
        raise ValueError(text) from error


SCHEDULE = Text("a cron expression of five fields, a name such as @hourly, or off", _schedule)
URL = Text("an http or https URL without credentials", http_url)
SECRET = Text("one line of text")
PROVIDER = Text(", ".join(NAMES), provider_name)
SUFFIX = Text(f"up to {MAX_SUFFIX_CHARS} letters, digits, '.', '_' and '-'", collection_suffix)
KEEP_ALIVE = Text("a span such as 10m or 1h30m, or a number of seconds (-1: for ever)", span)
TEMPLATE = Template()

TOKENS = Names(
    f"tokens of at least {MIN_TOKEN_CHARS} visible ASCII characters, no comma in them", access_token
)
LABELS = Names(f"labels of documents, of {AUDIENCE_ALLOWED} characters each", audience_label)
GROUP = Text("a group name: letters, digits, '.', '_', '-'; no reserved ending", _group)


def _floor(text: str) -> str:
    read_floor(text)
    return text


def _mode(text: str) -> str:
    """Return how questions are rewritten; "on" is what one of the systems before says for both."""
    return EXPANSION.from_file({"on": "both"}.get(text.lower(), text))


RERANKER = Text(", ".join(RERANK_NAMES), reranker_name)
EXPANSION = one_of("off", "expand", "hyde", "both")

OPTIONS: dict[str, Option] = {
    "index.max_file_bytes": Option(Whole(1_000, 100_000_000), ("MAX_FILE_BYTES",)),
    "index.chunk_chars": Option(Whole(128, 8_192)),
    "index.max_chunk_chars": Option(Whole(256, 16_384)),
    "index.workers": Option(Whole(0, 256)),
    "index.parse_timeout_s": Option(Seconds(0.1, 600)),
    "index.worker_memory_bytes": Option(Whole(256 << 20, 1 << 40)),
    "index.worker_idle_s": Option(Seconds(1, 86_400)),
    "index.reconcile_min_s": Option(Seconds(1, 86_400), ("WATCH_SWEEP_INTERVAL",)),
    "index.allow_secrets": Option(Switch()),
    "index.enabled": Option(Switch()),
    "watch.enabled": Option(Switch(), ("SCM_WATCH",)),
    "watch.debounce_ms": Option(Whole(1, 10_000)),
    "watch.fold_ms": Option(Whole(0, 10_000)),
    "watch.poll_s": Option(Seconds(0.1, 3_600)),
    "http.host": Option(Text("127.0.0.1, localhost or ::1", loopback_host), ("PAPARATS_HOST",)),
    "http.port": Option(Whole(0, 65_535), ("PAPARATS_PORT", "PORT")),
    "http.allowed_origins": Option(
        Names("exact origins such as http://localhost:3000", origin), ("PAPARATS_CORS_ORIGINS",)
    ),
    "http.header_deadline_s": Option(Seconds(0.1, 300)),
    "http.body_deadline_s": Option(Seconds(0.1, 300)),
    "http.write_deadline_s": Option(Seconds(0.1, 3_600)),
    "http.max_body_bytes": Option(Whole(1_000, 1 << 30)),
    "http.max_half_open": Option(Whole(1, 10_000)),
    "http.max_connections": Option(Whole(1, 10_000)),
    "control.expected_uid": Option(Whole(0, (1 << 32) - 1)),
    "embedder.provider": Option(PROVIDER, ("EMBEDDING_PROVIDER", "SCM_EMBED_BACKEND")),
    "embedder.url": Option(URL, ("EMBED_URL", "OLLAMA_URL")),
    "embedder.model": Option(Text(), ("EMBEDDING_MODEL", "EMBED_MODEL", "SCM_EMBED_MODEL")),
    "embedder.revision": Option(Text()),
    "embedder.dimension": Option(Whole(0, 65_536), ("EMBEDDING_DIMENSIONS",)),
    "embedder.ask_dimension": Option(Switch()),
    "embedder.dtype": Option(one_of("float", "int8"), ("SCM_EMBED_DTYPE",)),
    "embedder.api_key": Option(SECRET, secret=True),
    "embedder.family": Option(one_of("auto", *FAMILIES)),
    "embedder.query_template": Option(TEMPLATE),
    "embedder.document_template": Option(TEMPLATE),
    "embedder.batch_texts": Option(Whole(0, 10_000), ("EMBED_BATCH_SIZE", "EMBED_BATCH")),
    "embedder.batch_chars": Option(
        Whole(0, 10_000_000), ("EMBED_BATCH_CHARS", "SCM_EMBED_CHAR_BUDGET")
    ),
    "embedder.concurrency": Option(Whole(0, 64), ("EMBED_CONCURRENCY", "SCM_EMBED_CONCURRENCY")),
    "embedder.min_interval_s": Option(Seconds(0, 3_600), ("SCM_EMBED_MIN_INTERVAL",)),
    "embedder.retries": Option(Whole(0, 10), ("SCM_EMBED_MAX_RETRIES",)),
    "embedder.timeout_s": Option(Seconds(0.1, 3_600), ("OLLAMA_TIMEOUT",)),
    "embedder.keep_alive": Option(KEEP_ALIVE),
    "embedder.threads": Option(Whole(0, 256)),
    "embedder.max_tokens": Option(Whole(0, 1_000_000)),
    "embedder.pooling": Option(one_of("auto", *POOLINGS)),
    "rerank.provider": Option(RERANKER, ("SCM_RERANK_BACKEND",)),
    "rerank.url": Option(URL),
    "rerank.model": Option(Text(), ("SCM_RERANK_MODEL",)),
    "rerank.api_key": Option(SECRET, secret=True),
    "rerank.candidates": Option(Whole(2, 200)),
    "rerank.max_chars": Option(Whole(400, 20_000)),
    "rerank.timeout_s": Option(Seconds(0.1, 60)),
    "rerank.pause_s": Option(Seconds(0.1, 3_600)),
    "rerank.min_interval_s": Option(Seconds(0, 3_600), ("SCM_RERANK_MIN_INTERVAL",)),
    "rerank.searches": Option(Names(" and ".join(SEARCHES), one_of(*SEARCHES).from_file)),
    "rerank.floors": Option(Names("floors such as cohere/rerank-v3.5=0.2", _floor)),
    "expand.mode": Option(Text(EXPANSION.allowed, _mode), ("SCM_QUERY_EXPANSION",)),
    "expand.url": Option(URL, ("SCM_LLM_BASE_URL",)),
    "expand.model": Option(Text(), ("SCM_LLM_MODEL",)),
    "expand.api_key": Option(SECRET, ("SCM_LLM_API_KEY",), secret=True),
    "expand.timeout_s": Option(Seconds(0.1, 60), ("SCM_LLM_TIMEOUT",)),
    "expand.per_minute": Option(Whole(1, 10_000)),
    "store.qdrant_url": Option(Text(FORMS, qdrant_url), ("QDRANT_URL",)),
    "store.qdrant_api_key": Option(SECRET, ("QDRANT_API_KEY",), secret=True),
    "store.timeout_s": Option(Seconds(0.1, 600)),
    "store.ca_file": Option(Text("the path of a file of certificates (PEM)")),
    "store.verify": Option(Switch()),
    "store.suffix": Option(SUFFIX, ("PAPARATS_PROJECT_SUFFIX",)),
    "store.shards": Option(Whole(0, 1_000)),
    "store.replicas": Option(Whole(1, 100)),
    "store.write_consistency": Option(Whole(1, 100)),
    "store.vectors_on_disk": Option(Switch()),
    "store.payload_on_disk": Option(Switch()),
    "store.quantization": Option(one_of("int8", "binary", "none")),
    "store.publish": Option(Switch()),
    "store.follow": Option(Names("hosts or ids of installations")),
    "search.cache_entries": Option(Whole(0, 1_000_000), ("QUERY_CACHE_MAX_ENTRIES",)),
    "search.deadline_s": Option(Seconds(0.1, 600)),
    "search.fresh_deadline_s": Option(Seconds(0.01, 600)),
    "search.allowed_projects": Option(Names("project names"), ("PAPARATS_PROJECTS",)),
    "search.ranker": Option(Text("the path of a file of ranking weights")),
    "search.meaning": Option(Switch()),
    "search.top_n": Option(Whole(1, 50), ("SCM_TOP_N",)),
    "docs.audience": Option(LABELS, ("PAPARATS_DOCS_AUDIENCE",)),
    "projects.forced_group": Option(GROUP, ("PAPARATS_GROUP",)),
    "projects.worktrees": Option(one_of("offer", "add", "off")),
    "remotes.cron": Option(SCHEDULE, ("CRON",)),
    "remotes.cron_fast": Option(SCHEDULE, ("CRON_FAST",)),
    "remotes.concurrency": Option(Whole(1, 32)),
    "remotes.timeout_s": Option(Seconds(1, 86_400)),
    "remotes.max_bytes": Option(Whole(1_000_000, 1 << 50)),
    "push.max_files": Option(Whole(1, 10_000_000)),
    "push.max_project_bytes": Option(Whole(1_000, 1 << 50)),
    "projects.allowed_roots": Option(Folders(), ("MCP_ALLOWED_ROOTS",)),
    "knowledge.tokens": Option(TOKENS, secret=True),
    "knowledge.audience": Option(LABELS),
    "knowledge.projects": Option(Names("project names")),
    "log.level": Option(one_of("debug", "info", "warning", "error"), ("PAPARATS_LOG_LEVEL",)),
    "log.format": Option(one_of("auto", "human", "json"), ("PAPARATS_LOG_FORMAT",)),
}

TEXT_VARIABLES = {
    "provider": ("TEXT_EMBEDDING_PROVIDER",),
    "model": ("TEXT_EMBEDDING_MODEL",),
    "dimension": ("TEXT_EMBEDDING_DIMENSIONS",),
}
OPTIONS |= {
    f"text_{key}": replace(option, variables=TEXT_VARIABLES.get(key.partition(".")[2], ()))
    for key, option in OPTIONS.items()
    if key.startswith("embedder.")
}


def load_settings(
    places: Places, environment: Mapping[str, str], flags: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings; raises BadSettings with the place, the key and what is allowed.

    `flags` maps `section.key` to text.
    """
    values = {
        **_from_file(places.settings_file),
        **_from_environment(environment),
        **_from_flags(flags or {}),
    }
    settings = _build(places, values)
    embedder = resolve_embedder(settings.embedder, environment)
    text = settings.text_embedder
    if text is not None:
        text = resolve_embedder(text, environment, "text_embedder")
    chosen = [one for one in (text, embedder) if one is not None]
    rerank = resolve_reranker(settings.rerank, embedder, environment)
    notes = (*_notes(values, environment), *rerank_notes(settings.rerank, rerank))
    return replace(
        settings,
        http=replace(settings.http, token=read_token(places.token_file)),
        embedder=embedder,
        text_embedder=text,
        embedder_keys=keys_by_url(chosen, environment),
        rerank=rerank,
        remotes=replace(settings.remotes, tokens=git_tokens(environment)),
        notes=notes,
        flags=dict(flags or {}),
    )


def reload_settings(settings: Settings) -> Settings:
    """Read file and token again, with the same places and flags; raises BadSettings."""
    return load_settings(settings.places, process_environment(), settings.flags)


def _refuse(where: str, key: str, value: object, option: Option) -> BadSettings:
    shown = "the value" if option.secret else repr(value)
    return BadSettings(f"{where}: {key}: {shown} cannot be used; allowed: {option.kind.allowed}")


def _from_flags(flags: Mapping[str, str]) -> dict[str, Any]:
    values = {}
    for key, text in flags.items():
        option = OPTIONS.get(key)
        if option is None:
            raise BadSettings(f"command line: {_unknown(key)}")
        if option.secret:
            raise BadSettings(
                f"command line: {key} is a secret and would be visible to other users; put it "
                f"into config.toml or {variable_of(key)}"
            )
        try:
            values[key] = option.kind.from_text(text)
        except ValueError:
            raise _refuse("command line", key, text, option) from None
    return values


def variable_of(key: str) -> str:
    """Return the environment variable of a setting: PAPARATS_HTTP_PORT for http.port."""
    return "PAPARATS_" + key.replace(".", "_").upper()


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the variables; an empty one counts as unset."""
    values = {}
    for key, option in OPTIONS.items():
        for variable in (variable_of(key), *option.variables):
            text = environment.get(variable, "")
            if not text.strip():
                continue
            try:
                values[key] = option.kind.from_text(text)
            except ValueError:
                raise _refuse("environment", variable, text, option) from None
            break
    return values


def _from_file(path: Path) -> dict[str, Any]:
    document = _read_toml(path)
    values = {}
    for key, value in _flatten(path, document):
        option = OPTIONS.get(key)
        if option is None:
            raise BadSettings(f"{path}: {_unknown(key)}")
        if option.secret and not is_private(path):
            raise BadSettings(
                f"{path} holds the secret {key} but other users can read it; run: chmod 600 {path}"
            )
        try:
            values[key] = option.kind.from_file(value)
        except ValueError:
            raise _refuse(str(path), key, value, option) from None
    return values


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        data, _ = read_small_file(path, max_bytes=MAX_SETTINGS_BYTES, follow=True)
    except FileNotFoundError:
        return {}
    except UnreadableFileError as error:
        raise BadSettings(f"{path} cannot be used: {error}") from None
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadSettings(f"{path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path} is not valid TOML: {error}") from None


def _flatten(path: Path, document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for section, table in document.items():
        if not isinstance(table, dict):
            raise BadSettings(f"{path}: {section!r} stands outside a section; {_sections()}")
        for key, value in table.items():
            yield f"{section}.{key}", value


def _unknown(key: str) -> str:
    """Return that there is no such setting, which was meant, and what its section has."""
    section, _, name = key.partition(".")
    names = [known.partition(".")[2] for known in OPTIONS if known.startswith(f"{section}.")]
    said = f"there is no setting {key[:80]!r}"
    if not names:
        return f"{said}; {_sections()}"
    close = difflib.get_close_matches(name, names, n=1)
    meant = f"; did you mean '{section}.{close[0]}'?" if close else ";"
    return f"{said}{meant} {section} has {', '.join(names)}"


def _sections() -> str:
    sections = sorted({key.partition(".")[0] for key in OPTIONS})
    return "the sections are " + ", ".join(sections)


def _build(places: Places, values: Mapping[str, Any]) -> Settings:
    settings = Settings(places)
    slices: dict[str, Any] = {}
    for field in fields(settings):
        prefix = f"{field.name}."
        chosen = {
            key.removeprefix(prefix): value
            for key, value in values.items()
            if key.startswith(prefix)
        }
        if field.name == "text_embedder":
            if "provider" in chosen:
                slices[field.name] = EmbedderSettings(**chosen)
        elif chosen:
            slices[field.name] = replace(getattr(settings, field.name), **chosen)
    settings = replace(settings, **slices)
    index = settings.index
    if index.max_chunk_chars < index.chunk_chars:
        raise BadSettings(
            f"index.max_chunk_chars: {index.max_chunk_chars} is less than index.chunk_chars "
            f"({index.chunk_chars}); allowed: at least as much"
        )
    _check_store(settings)
    expand = settings.expand
    if expand.mode != "off" and not (expand.url and expand.model):
        raise BadSettings(
            "expand.mode needs expand.url and expand.model: which chat model rewrites"
        )
    publication_of(settings.knowledge, settings.docs.audience, settings.search.allowed_projects)
    return settings


def _check_store(settings: Settings) -> None:
    """Refuse what would have no effect, or none that anybody could want."""
    store = settings.store
    if not settings.index.enabled and not store.qdrant_url:
        raise BadSettings(
            "index.enabled: without an index of its own this daemon has nothing to answer from; "
            "set store.qdrant_url to the server that others fill"
        )
    if store.publish and not store.qdrant_url:
        raise BadSettings("store.publish: there is no server; set store.qdrant_url")
    if store.write_consistency > store.replicas:
        raise BadSettings(
            f"store.write_consistency: {store.write_consistency} is more than store.replicas "
            f"({store.replicas}); allowed: at most as many"
        )


def _notes(values: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    notes = [
        *embedder_notes(values, environment),
        *text_embedder_notes(values),
        *former_notes(environment),
    ]
    if values.get("knowledge.projects") and not values.get("knowledge.tokens"):
        notes.append(
            "knowledge.projects alone changes nothing: there is no knowledge endpoint without "
            "knowledge.tokens and knowledge.audience"
        )
    url = urlsplit(values.get("store.qdrant_url", ""))
    if url.scheme == "http" and values.get("store.qdrant_api_key") and not is_local(url.geturl()):
        notes.append(
            "store.qdrant_api_key travels unencrypted to another machine; use an https URL"
        )
    return tuple(notes)
