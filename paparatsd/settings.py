"""Settings: one frozen object made of slices, read once. The only reader of the environment.

Flags win over the environment, the environment over `config.toml`, that over the defaults here.
`loading.py` has the table of what can be set and reads it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def process_environment() -> Mapping[str, str]:
    """Return a copy of this process's environment; nothing else in the package reads it."""
    return dict(os.environ)


def drop_variables(names: Iterable[str]) -> None:
    """Remove variables from this process's environment, so that no child process has them."""
    for name in names:
        os.environ.pop(name, None)


SECRET_ENDINGS = ("KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS")
SECRET_BEGINNING = "PAPARATS_GIT_TOKEN_"  # noqa: S105 - the beginning of a name


def environment_of_children() -> dict[str, str]:
    """Return what our child processes are given: this environment without what is named a secret.

    They read files that strangers wrote, and none of them asks anybody for anything. They import
    this package, however this process came by it, and nothing from their working directory.
    """
    kept = {
        name: value
        for name, value in process_environment().items()
        if name.upper().rpartition("_")[2] not in SECRET_ENDINGS
        and not name.upper().startswith(SECRET_BEGINNING)
    }
    return {**kept, **_import_path(kept.get("PYTHONPATH", ""), Path(__file__).resolve().parents[1])}


def pin_import_path(package_parent: Path) -> None:
    """Let our child processes import this package, and nothing from their working directory."""
    os.environ.update(_import_path(os.environ.get("PYTHONPATH", ""), package_parent))


def forbid_downloads() -> None:
    """Tell the libraries of model hubs, in this process, that there is no network for them."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        os.environ[name] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


def _import_path(known: str, package_parent: Path) -> dict[str, str]:
    path = known
    if str(package_parent) not in known.split(os.pathsep):
        path = os.pathsep.join(filter(None, (str(package_parent), known)))
    return {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


@dataclass(frozen=True, slots=True)
class Places:
    """The directories and socket of one daemon.

    `data` holds what cannot be made again; `state` and `cache` may be deleted.
    """

    config: Path
    state: Path
    cache: Path
    runtime: Path
    data: Path

    @property
    def projects_file(self) -> Path:
        """The list of registered projects."""
        return self.config / "projects.yml"

    @property
    def settings_file(self) -> Path:
        """The optional settings file."""
        return self.config / "config.toml"

    @property
    def token_file(self) -> Path:
        """The optional bearer token of the TCP listener, mode 0600."""
        return self.config / "token"

    @property
    def log_file(self) -> Path:
        """Where a daemon that was started in the background logs."""
        return self.state / "paparatsd.log"

    @property
    def control_socket(self) -> Path:
        """The Unix socket of the control API."""
        return self.runtime / "control.sock"

    @property
    def hook_times(self) -> Path:
        """When git hooks fired last."""
        return self.state / "hooks.json"

    @property
    def history(self) -> Path:
        """What is known of git history."""
        return self.state / "history.sqlite3"

    @property
    def catalog(self) -> Path:
        """The SQLite file that holds everything but vectors."""
        return self.state / "catalog.sqlite3"

    @property
    def vectors(self) -> Path:
        """The directory of the embedded vector shards."""
        return self.state / "vectors"

    @property
    def spool(self) -> Path:
        """The directory into which git hooks write their events."""
        return self.state / "spool"

    @property
    def notes(self) -> Path:
        """What people and agents wrote down: terms and cards."""
        return self.data / "notes.sqlite3"

    @property
    def clones(self) -> Path:
        """Our clones of repositories elsewhere."""
        return self.state / "remotes"

    @property
    def pushed(self) -> Path:
        """Files that programs have sent, by project."""
        return self.data / "pushed"

    @property
    def installation(self) -> Path:
        """The name of this installation, by which a shared server knows whose points are whose."""
        return self.data / "installation"

    @property
    def embeddings(self) -> Path:
        """The embedding cache."""
        return self.cache / "embeddings.sqlite3"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Limits of what is read and how it is cut.

    Not `enabled`: this daemon indexes nothing and answers from what others publish in the server.
    """

    max_file_bytes: int = 1_000_000
    chunk_chars: int = 1_600
    max_chunk_chars: int = 3_200
    workers: int = 0  # 0: as many as there are processors; they run at a lower priority
    parse_timeout_s: float = 10.0
    worker_memory_bytes: int = 1_280 << 20  # of address space; about 250 MB of it is code
    worker_idle_s: float = 600.0
    reconcile_min_s: float = 300.0
    allow_secrets: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How changes are noticed."""

    enabled: bool = True
    debounce_ms: int = 60
    fold_ms: int = 300
    poll_s: float = 30.0


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """The TCP listener. It binds to loopback only."""

    host: str = "127.0.0.1"
    port: int = 9876
    token: str | None = field(default=None, repr=False)
    allowed_origins: tuple[str, ...] = ()
    header_deadline_s: float = 5.0
    body_deadline_s: float = 10.0
    write_deadline_s: float = 30.0
    max_body_bytes: int = 4 << 20
    max_half_open: int = 64
    max_connections: int = 256


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """The Unix socket listener. `expected_uid` is who may connect (None: the daemon's own)."""

    expected_uid: int | None = None


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which embedder, and how it is asked.

    `provider` is static (built in), openai (any compatible endpoint), ollama (its own API),
    voyage, or from a folder on this disk model2vec, onnx or sentence-transformers.
    0 texts, characters and requests at a time: as suits the provider. `family` auto: by the
    model's name; a template "" is the family's. `dtype` is float or int8 (voyage);
    `ask_dimension`: the endpoint is told which size is wanted. `revision`: any word, to tell
    models of one name apart. `threads`, `max_tokens` (of a text), `pooling`: of a model from a
    folder; 0 and auto: as suits the machine and as the model's own files say.
    """

    provider: str = "static"
    url: str = ""
    model: str = ""
    dimension: int = 0
    api_key: str | None = field(default=None, repr=False)
    query_template: str = ""
    document_template: str = ""
    batch_texts: int = 0
    batch_chars: int = 0
    timeout_s: float = 60.0
    family: str = "auto"
    concurrency: int = 0
    retries: int = 2
    min_interval_s: float = 0.0
    dtype: str = "float"
    ask_dimension: bool = False
    keep_alive: str = "10m"
    revision: str = ""
    threads: int = 0
    max_tokens: int = 0
    pooling: str = "auto"


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Which reranker, and what it is shown: `candidates` texts of `max_chars` at most.

    `provider` is off, auto, onnx (a folder, `model`) or one of `rerank_providers`. `searches`:
    which it orders, code and docs. `floors`: "provider/model=score" each; what a reranker scores
    below its own floor is called unlikely.
    """

    provider: str = "off"
    url: str = ""
    model: str = ""
    api_key: str | None = field(default=None, repr=False)
    candidates: int = 30
    max_chars: int = 4_000
    timeout_s: float = 3.0
    pause_s: float = 15.0
    min_interval_s: float = 0.0
    searches: tuple[str, ...] = ("code", "docs")
    floors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpandSettings:
    """Which chat model rewrites questions. `mode`: off, expand (words), hyde (code) or both."""

    mode: str = "off"
    url: str = ""
    model: str = ""
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 4.0
    per_minute: int = 20


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Which vector store; an empty URL means the embedded engine, and the rest does nothing.

    `suffix` names a team: daemons of another one have collections of their own. `shards` (0: the
    server's default), `replicas`, `write_consistency`, the places of vectors and payload and
    `quantization` (int8, binary, none) hold for collections that are made from now on. With
    `publish` others may search what this daemon indexes; `follow` names hosts or installations
    whose projects are shown where `index.enabled` is off, all when empty.
    """

    qdrant_url: str = ""
    qdrant_api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0
    ca_file: str = ""
    verify: bool = True
    suffix: str = ""
    shards: int = 0
    replicas: int = 1
    write_consistency: int = 1
    vectors_on_disk: bool = False
    payload_on_disk: bool = True
    quantization: str = "int8"
    publish: bool = False
    follow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Defaults of the search path. `allowed_projects` empty means all.

    `ranker` is a file of ranking weights ("" for the packaged ones). Without `meaning` a search
    goes by words and names only; the index keeps its vectors. `top_n` is how many results
    codebase_search gives when it is not told.
    """

    cache_entries: int = 1_000
    deadline_s: float = 10.0
    fresh_deadline_s: float = 2.0
    allowed_projects: tuple[str, ...] = ()
    ranker: str = ""
    meaning: bool = True
    top_n: int = 10


@dataclass(frozen=True, slots=True)
class DocsSettings:
    """What holds for documents: `audience` names the labels that may be shown, all when empty."""

    audience: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What holds for every project. A `forced_group` wins over all that files say.

    `worktrees`: what becomes of work trees that git adds to a registered repository: "offer" names
    them in the status, "add" indexes them until git removes them, "off" leaves them alone.
    `allowed_roots`: folders in which agents may register projects; a person may anywhere.
    """

    forced_group: str = ""
    worktrees: str = "offer"
    allowed_roots: tuple[str, ...] = ("~",)


@dataclass(frozen=True, slots=True)
class RemotesSettings:
    """Repositories elsewhere: when they are asked for news (`cron_fast`) and fetched (`cron`).

    `cron` and `cron_fast` are cron expressions or "off". `tokens` maps an environment variable's
    name to the token in it.
    """

    cron: str = "0 */3 * * *"
    cron_fast: str = "*/10 * * * *"
    concurrency: int = 2
    timeout_s: float = 1_800.0
    max_bytes: int = 4 << 30
    tokens: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)


@dataclass(frozen=True, slots=True)
class PushSettings:
    """How much of a project's files is kept that programs send."""

    max_files: int = 100_000
    max_project_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class KnowledgeSettings:
    """The knowledge endpoint: who may ask, and about which documents.

    Served when `tokens` and `audience` are both set. `projects` empty means all that may be
    answered about.
    """

    tokens: tuple[str, ...] = field(default=(), repr=False)
    audience: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogSettings:
    """`format` is auto (by terminal), human or json."""

    level: str = "info"
    format: str = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the daemon was told, in slices for their consumers."""

    places: Places
    index: IndexSettings = IndexSettings()
    watch: WatchSettings = WatchSettings()
    http: HttpSettings = HttpSettings()
    control: ControlSettings = ControlSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    text_embedder: EmbedderSettings | None = None
    """For documents, terms and cards; None: the same as for code."""
    store: StoreSettings = StoreSettings()
    search: SearchSettings = SearchSettings()
    docs: DocsSettings = DocsSettings()
    log: LogSettings = LogSettings()
    projects: ProjectSettings = ProjectSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    remotes: RemotesSettings = RemotesSettings()
    push: PushSettings = PushSettings()
    rerank: RerankSettings = RerankSettings()
    expand: ExpandSettings = ExpandSettings()
    notes: tuple[str, ...] = ()
    """Sentences for the log about what was set without effect."""
    flags: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What the command line set, so that a reload keeps it."""
    embedder_keys: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    """Keys of embedding services by base URL, for the model that an index was made with."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """Settings that were read again: those that hold now, what changed, and what waits.

    `changed` and `waiting` name sections or settings; what waits holds from the next start.
    """

    settings: Settings
    changed: tuple[str, ...]
    waiting: tuple[str, ...]
