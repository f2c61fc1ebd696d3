from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from paparatsd.errors import BadSettings, Conflict
from paparatsd.loading import OPTIONS, load_settings, reload_settings, variable_of
from paparatsd.private_file import create_token, read_token
from paparatsd.settings import (
    EmbedderSettings,
    Places,
    Settings,
    environment_of_children,
    process_environment,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for kind in ("config", "state", "cache", "run"):
        (tmp_path / kind).mkdir()
    return Places(
        tmp_path / "config",
        tmp_path / "state",
        tmp_path / "cache",
        tmp_path / "run",
        tmp_path / "data",
    )


def write(places: Places, text: str, mode: int = 0o600) -> None:
    places.settings_file.write_text(text)
    places.settings_file.chmod(mode)


def test_without_anything_set_the_defaults_of_the_slices_hold(places: Places) -> None:
    assert load_settings(places, {}) == Settings(places)


def test_every_option_names_a_field_and_accepts_its_own_default(places: Places) -> None:
    defaults = Settings(places, text_embedder=EmbedderSettings())
    for key, option in OPTIONS.items():
        section, _, name = key.partition(".")
        value = getattr(getattr(defaults, section), name)
        if value in ("", None):
            continue
        assert option.kind.from_file(list(value) if isinstance(value, tuple) else value) == value


def test_flags_win_over_environment_over_file_over_defaults(places: Places) -> None:
    write(places, "[http]\nport = 1001\nmax_connections = 11\n[index]\nworkers = 3\n")
    environment = {"PAPARATS_PORT": "1002", "PAPARATS_INDEX_WORKERS": "4"}
    settings = load_settings(places, environment, {"http.port": "1003"})
    assert settings.http.port == 1003
    assert settings.index.workers == 4
    assert settings.http.max_connections == 11
    assert settings.http.header_deadline_s == 5.0


def test_a_reload_keeps_the_flags_and_reads_the_file_again(places: Places) -> None:
    settings = load_settings(places, {}, {"http.port": "1003"})
    write(places, "[http]\nport = 1001\n[watch]\nenabled = false\n")
    again = reload_settings(settings)
    assert (again.http.port, again.watch.enabled) == (1003, False)


@pytest.mark.parametrize(
    ("environment", "port"),
    [
        ({"PORT": "80"}, 80),
        ({"PORT": "80", "PAPARATS_PORT": "81"}, 81),
        ({"PORT": "80", "PAPARATS_PORT": " "}, 80),
        ({"PAPARATS_PORT": "0"}, 0),
    ],
)
def test_the_older_variable_names_mean_the_same(
    places: Places, environment: dict[str, str], port: int
) -> None:
    assert load_settings(places, environment).http.port == port


def test_the_variables_of_the_predecessor_reach_their_slices(places: Places) -> None:
    environment = {
        "QDRANT_URL": "http://qdrant.example",
        "QDRANT_API_KEY": "k",
        "PAPARATS_PROJECT_SUFFIX": "-dev",
        "QUERY_CACHE_MAX_ENTRIES": "7",
        "PAPARATS_PROJECTS": "a, b",
        "PAPARATS_GROUP": "team",
        "PAPARATS_CORS_ORIGINS": "http://localhost:3000",
    }
    settings = load_settings(places, environment)
    assert settings.store.qdrant_url == "http://qdrant.example:6333"
    assert settings.store.qdrant_api_key == "k"
    assert settings.store.suffix == "dev"
    assert settings.search.cache_entries == 7
    assert settings.search.allowed_projects == ("a", "b")
    assert settings.projects.forced_group == "team"
    assert settings.http.allowed_origins == ("http://localhost:3000",)


def test_a_key_that_others_could_read_on_the_way_is_pointed_out(places: Places) -> None:
    secret = {"QDRANT_API_KEY": "k"}

    far = load_settings(places, {**secret, "QDRANT_URL": "http://q.example"}).notes
    assert any("travels unencrypted" in note for note in far)
    for url in ("https://q.example", "localhost", "http://127.0.0.1:6333"):
        assert load_settings(places, {**secret, "QDRANT_URL": url}).notes == ()


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://q.example", "https://q.example:443"),
        ("http://q.example:80/x/", "http://q.example:80/x"),
        ("http://[::1]", "http://[::1]:6333"),
    ],
)
def test_a_qdrant_url_gets_the_port_it_means(places: Places, url: str, known: str) -> None:
    assert load_settings(places, {"QDRANT_URL": url}).store.qdrant_url == known


@pytest.mark.parametrize(
    ("environment", "needle"),
    [
        ({"PAPARATS_PORT": "65536"}, "PAPARATS_PORT"),
        ({"PORT": "http"}, "'http' cannot be used; allowed: a whole number from 0 to 65535"),
        ({"PORT": "٣"}, "PORT"),
        ({"PORT": "1" * 5_000}, "PORT"),
        ({"PAPARATS_HOST": "0.0.0.0"}, "127.0.0.1, localhost or ::1"),  # noqa: S104 - refused
        ({"PAPARATS_HOST": "192.168.1.2"}, "PAPARATS_HOST"),
        ({"PAPARATS_HTTP_HOST": "::"}, "PAPARATS_HTTP_HOST"),
        ({"QDRANT_URL": "ftp://x"}, "QDRANT_URL"),
        ({"QDRANT_URL": "http://u:p@x"}, "without credentials"),
        ({"QDRANT_URL": "http://x:99999"}, "QDRANT_URL"),
        ({"QDRANT_URL": ":memory:"}, "nothing at all for the embedded engine"),
        ({"PAPARATS_PROJECT_SUFFIX": "a/b"}, "letters, digits"),
        ({"PAPARATS_STORE_QUANTIZATION": "int4"}, "int8 or binary or none"),
        ({"PAPARATS_INDEX_ENABLED": "false"}, "nothing to answer from"),
        ({"PAPARATS_STORE_PUBLISH": "true"}, "there is no server"),
        ({"PAPARATS_STORE_WRITE_CONSISTENCY": "2"}, "more than store.replicas"),
        ({"EMBEDDING_PROVIDER": "cohere"}, "static, openai, llama, ollama, voyage, model2vec"),
        ({"PAPARATS_WATCH_ENABLED": "maybe"}, "true or false"),
        ({"PAPARATS_STORE_TIMEOUT_S": "nan"}, "a number of seconds"),
        ({"PAPARATS_STORE_TIMEOUT_S": "inf"}, "a number of seconds"),
        ({"PAPARATS_LOG_LEVEL": "loud"}, "debug or info"),
        ({"PAPARATS_GROUP": "x_docs"}, "reserved"),
        ({"PAPARATS_CORS_ORIGINS": "*"}, "exact origins"),
        ({"PAPARATS_PROJECTS": ","}, "project names"),
        ({"PAPARATS_KNOWLEDGE_PROJECTS": " , ,"}, "PAPARATS_KNOWLEDGE_PROJECTS"),
        ({"PAPARATS_DOCS_AUDIENCE": ",,"}, "labels of documents"),
        ({"PAPARATS_CORS_ORIGINS": "http://x/path"}, "exact origins"),
        ({"EMBEDDING_PROVIDER": "openai"}, "OPENAI_API_KEY"),
        ({"PAPARATS_EMBEDDER_QUERY_TEMPLATE": "q: "}, "{text}"),
        ({"EMBEDDING_PROVIDER": "model2vec"}, "the folder of a model"),
        ({"EMBEDDING_PROVIDER": "voyage"}, "set VOYAGE_API_KEY"),
        ({"PAPARATS_EMBEDDER_KEEP_ALIVE": "long"}, "10m or 1h30m"),
        ({"PAPARATS_EMBEDDER_FAMILY": "bert"}, "auto or bge-code"),
        ({"EMBEDDING_PROVIDER": "ollama", "SCM_EMBED_DTYPE": "int8"}, "only voyage"),
        ({"PAPARATS_INDEX_MAX_CHUNK_CHARS": "1000"}, "index.chunk_chars"),
    ],
)
def test_a_bad_variable_is_refused_with_its_name_and_what_is_allowed(
    places: Places, environment: dict[str, str], needle: str
) -> None:
    with pytest.raises(BadSettings) as caught:
        load_settings(places, environment)
    assert needle in str(caught.value)


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("[http]\nprot = 1\n", "'http.prot'"),
        ("[htpp]\nport = 1\n", "'htpp.port'"),
        ("port = 1\n", "outside a section"),
        ('[http]\nport = "80"\n', "http.port: '80'"),
        ("[http]\nport = true\n", "http.port: True"),
        ("[http]\nport = 1.5\n", "http.port"),
        ('[watch]\nenabled = "yes"\n', "true or false"),
        ('[http]\nhost = "example.com"\n', "http.host"),
        ('[search]\nallowed_projects = "a"\n', "project names"),
        ("[http\n", "not valid TOML"),
        ("[http.port]\nx = 1\n", "http.port"),
        ('[http]\ntoken = "abc"\n', "'http.token'"),
    ],
)
def test_a_bad_settings_file_is_refused_with_its_path_and_key(
    places: Places, text: str, needle: str
) -> None:
    write(places, text)
    with pytest.raises(BadSettings) as caught:
        load_settings(places, {})
    assert needle in str(caught.value)
    assert str(places.settings_file) in str(caught.value)


def test_a_settings_file_that_is_not_text_is_refused(places: Places) -> None:
    places.settings_file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadSettings, match="not UTF-8"):
        load_settings(places, {})
    places.settings_file.unlink()
    places.settings_file.mkdir()
    with pytest.raises(BadSettings, match="not a regular file"):
        load_settings(places, {})


@pytest.mark.parametrize(
    ("flags", "needle"),
    [
        ({"http.prot": "1"}, "no setting 'http.prot'"),
        ({"http.port": "x"}, "command line: http.port"),
        ({"embedder.api_key": "sk-very-secret"}, "would be visible"),
    ],
)
def test_a_bad_flag_is_refused(places: Places, flags: dict[str, str], needle: str) -> None:
    with pytest.raises(BadSettings) as caught:
        load_settings(places, {}, flags)
    assert needle in str(caught.value)
    assert "sk-very-secret" not in str(caught.value)


def test_a_key_alone_never_sends_code_to_the_network(places: Places) -> None:
    settings = load_settings(places, {"OPENAI_API_KEY": "sk-1", "EMBED_URL": "http://x"})
    assert settings.embedder.provider == "static"
    assert settings.embedder.api_key is None
    assert settings.embedder.url == ""
    assert len(settings.notes) == 1


def test_openai_is_used_when_it_is_named(places: Places) -> None:
    environment = {"EMBEDDING_PROVIDER": "OpenAI", "OPENAI_API_KEY": "sk-1"}
    embedder = load_settings(places, environment).embedder
    assert (embedder.provider, embedder.url) == ("openai", "https://api.openai.com")
    assert (embedder.model, embedder.dimension) == ("text-embedding-3-small", 1536)
    assert embedder.api_key == "sk-1"


def test_a_local_endpoint_never_gets_the_openai_key(places: Places) -> None:
    environment = {"EMBEDDING_PROVIDER": "llama", "OPENAI_API_KEY": "sk-1"}
    embedder = load_settings(places, environment).embedder
    assert (embedder.provider, embedder.url) == ("openai", "http://127.0.0.1:18434")
    assert embedder.api_key is None


def test_voyage_is_used_when_it_is_named_and_has_a_key(places: Places) -> None:
    environment = {
        "SCM_EMBED_BACKEND": "voyage",
        "VOYAGE_API_KEY": "pa-1",
        "OPENAI_API_KEY": "sk-1",
        "SCM_EMBED_MODEL": "voyage-3-lite",
        "SCM_EMBED_DTYPE": "int8",
        "SCM_EMBED_CHAR_BUDGET": "100000",
        "SCM_EMBED_CONCURRENCY": "5",
        "SCM_EMBED_MIN_INTERVAL": "21",
        "SCM_EMBED_MAX_RETRIES": "4",
    }
    embedder = load_settings(places, environment).embedder
    assert (embedder.provider, embedder.url) == ("voyage", "https://api.voyageai.com")
    assert (embedder.model, embedder.dimension, embedder.dtype) == ("voyage-3-lite", 0, "int8")
    assert embedder.api_key == "pa-1"
    assert (embedder.batch_chars, embedder.concurrency) == (100_000, 5)
    assert (embedder.min_interval_s, embedder.retries) == (21.0, 4)


def test_a_key_of_voyage_from_mongodb_is_sent_there(places: Places) -> None:
    environment = {"EMBEDDING_PROVIDER": "voyage", "VOYAGE_API_KEY": "al-1"}
    assert load_settings(places, environment).embedder.url == "https://ai.mongodb.com/v1"
    environment["EMBED_URL"] = "http://proxy:1"
    assert load_settings(places, environment).embedder.url == "http://proxy:1"


def test_ollama_is_used_when_it_is_named(places: Places) -> None:
    environment = {
        "EMBEDDING_PROVIDER": "ollama",
        "OLLAMA_URL": "http://lan:11434",
        "EMBED_MODEL": "qwen3-embedding:8b",
        "EMBED_BATCH": "48",
        "OLLAMA_TIMEOUT": "120",
    }
    embedder = load_settings(places, environment).embedder
    assert (embedder.provider, embedder.url) == ("ollama", "http://lan:11434")
    assert (embedder.model, embedder.batch_texts) == ("qwen3-embedding:8b", 48)
    assert (embedder.timeout_s, embedder.api_key) == (120.0, None)
    usual = load_settings(places, {"EMBEDDING_PROVIDER": "ollama"}).embedder
    assert (usual.url, usual.dimension) == ("http://127.0.0.1:11434", 1024)


def test_a_model_from_a_folder_has_no_address_and_no_key(places: Places) -> None:
    environment = {
        "EMBEDDING_PROVIDER": "model2vec",
        "EMBEDDING_MODEL": "/models/m",
        "EMBED_URL": "http://x",
        "PAPARATS_EMBEDDER_API_KEY": "k",
    }
    embedder = load_settings(places, environment).embedder
    assert (embedder.provider, embedder.model) == ("model2vec", "/models/m")
    assert (embedder.url, embedder.api_key) == ("", None)


@pytest.mark.parametrize(
    "environment",
    [
        {"OLLAMA_URL": "http://lan:11434", "EMBED_MODEL": "qwen3-embedding:8b"},
        {"VOYAGE_API_KEY": "pa-1"},
        {"SCM_EMBED_BACKEND": "local", "VOYAGE_API_KEY": "pa-1"},
    ],
)
def test_an_address_or_a_key_alone_chooses_no_provider_and_is_told(
    places: Places, environment: dict[str, str]
) -> None:
    settings = load_settings(places, environment)
    assert settings.embedder.provider == "static"
    assert len(settings.notes) == 1


def test_a_template_may_have_line_breaks(places: Places) -> None:
    environment = {
        "EMBEDDING_PROVIDER": "llama",
        "PAPARATS_EMBEDDER_QUERY_TEMPLATE": "Task: find code\\nQuery: {text}",
    }
    embedder = load_settings(places, environment).embedder
    assert embedder.query_template == "Task: find code\nQuery: {text}"
    write(places, '[embedder]\nprovider = "llama"\ndocument_template = "a\\n{text} "\n')
    assert load_settings(places, {}).embedder.document_template == "a\n{text} "


def test_another_model_has_no_guessed_dimension(places: Places) -> None:
    environment = {
        "EMBEDDING_PROVIDER": "openai",
        "EMBED_URL": "http://127.0.0.1:1234/",
        "EMBEDDING_MODEL": "mine",
        "EMBED_BATCH_SIZE": "8",
    }
    embedder = load_settings(places, environment).embedder
    assert (embedder.url, embedder.model, embedder.dimension) == (
        "http://127.0.0.1:1234",
        "mine",
        0,
    )
    assert embedder.batch_texts == 8


def test_secrets_are_not_in_the_text_of_the_settings(places: Places) -> None:
    create_token(places.token_file)
    environment = {"QDRANT_API_KEY": "qdrant-secret", "PAPARATS_EMBEDDER_API_KEY": "embed-secret"}
    settings = load_settings(places, {**environment, "EMBEDDING_PROVIDER": "llama"})
    assert settings.http.token is not None
    for secret in ("qdrant-secret", "embed-secret", settings.http.token):
        assert secret not in repr(settings)


def test_a_secret_in_a_file_that_others_can_read_is_refused(places: Places) -> None:
    text = '[store]\nqdrant_api_key = "k"\n'
    write(places, text, 0o644)
    with pytest.raises(BadSettings, match="chmod 600"):
        load_settings(places, {})
    write(places, text, 0o600)
    assert load_settings(places, {}).store.qdrant_api_key == "k"


def test_a_token_is_created_private_whatever_the_umask(places: Places) -> None:
    old = os.umask(0)
    try:
        create_token(places.token_file)
    finally:
        os.umask(old)
    assert places.token_file.stat().st_mode & 0o777 == 0o600
    token = load_settings(places, {}).http.token
    assert token is not None
    assert len(token) >= 40
    with pytest.raises(Conflict):
        create_token(places.token_file)
    assert read_token(places.token_file) == token


def test_a_rotated_token_is_seen_by_a_reload(places: Places) -> None:
    create_token(places.token_file)
    settings = load_settings(places, {})
    places.token_file.write_text("b" * 32)
    assert reload_settings(settings).http.token == "b" * 32


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604])
def test_a_token_that_others_can_read_is_refused_with_the_remedy(places: Places, mode: int) -> None:
    places.token_file.write_text("a" * 32)
    places.token_file.chmod(mode)
    with pytest.raises(BadSettings, match="chmod 600"):
        load_settings(places, {})


def test_a_token_behind_a_link_is_refused(places: Places, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text("a" * 32)
    real.chmod(0o600)
    places.token_file.symlink_to(real)
    with pytest.raises(BadSettings, match="is a link"):
        load_settings(places, {})


@pytest.mark.parametrize("data", [b"", b"short", b"a" * 20 + b"\xff", b"a" * 2_000, b"a b" * 10])
def test_a_file_without_a_usable_token_is_refused(places: Places, data: bytes) -> None:
    places.token_file.write_bytes(data)
    places.token_file.chmod(0o600)
    with pytest.raises(BadSettings) as caught:
        load_settings(places, {})
    assert str(places.token_file) in str(caught.value)


def test_a_token_that_is_a_pipe_does_not_hang(places: Places) -> None:
    os.mkfifo(places.token_file, 0o600)
    with pytest.raises(BadSettings, match="not a regular file"):
        load_settings(places, {})


def test_each_setting_has_a_variable_of_its_own() -> None:
    assert variable_of("http.max_body_bytes") == "PAPARATS_HTTP_MAX_BODY_BYTES"
    assert len({variable_of(key) for key in OPTIONS}) == len(OPTIONS)


def test_the_environment_is_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = process_environment()
    monkeypatch.setenv("PAPARATS_COPY", "1")
    assert "PAPARATS_COPY" not in environment


def test_children_are_given_the_environment_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = ("PAPARATS_KNOWLEDGE_TOKENS", "OPENAI_API_KEY", "QDRANT_API_KEY", "Github_Token")
    for name in secrets:
        monkeypatch.setenv(name, "0123456789abcdef")
    monkeypatch.setenv("PAPARATS_COPY", "1")
    given = environment_of_children()
    assert given["PYTHONSAFEPATH"] == "1"
    assert str(ROOT) in given["PYTHONPATH"].split(os.pathsep)
    assert not given.keys() & set(secrets)
    assert given["PAPARATS_COPY"] == "1"
    assert given["PATH"] == process_environment()["PATH"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("http.prot", "no setting 'http.prot'; did you mean 'http.port'? http has host, port, "),
        ("http.zzz", "no setting 'http.zzz'; http has host, port, "),
        ("zzz.port", "no setting 'zzz.port'; the sections are "),
    ],
)
def test_an_unknown_setting_is_told_from_those_of_its_section(
    tmp_path: Path, key: str, said: str
) -> None:
    with pytest.raises(BadSettings, match=re.escape(said)):
        load_settings(Places(*[tmp_path] * 5), {}, {key: "1"})


def test_text_has_an_embedder_of_its_own_only_where_its_provider_is_set(places: Places) -> None:
    environment = {
        "TEXT_EMBEDDING_PROVIDER": "llama",
        "TEXT_EMBEDDING_MODEL": "qwen3-embedding-0.6b",
        "TEXT_EMBEDDING_DIMENSIONS": "1024",
        "EMBED_URL": "http://code:1",
    }
    text = load_settings(places, environment).text_embedder
    assert text is not None
    assert (text.provider, text.model, text.dimension) == ("openai", "qwen3-embedding-0.6b", 1024)
    assert text.url == "http://127.0.0.1:18434", "the address of the one for code is not its"

    del environment["TEXT_EMBEDDING_PROVIDER"]
    settings = load_settings(places, environment)
    assert settings.text_embedder is None
    assert any("text_embedder.provider is not set" in note for note in settings.notes)

    write(places, '[text_embedder]\nprovider = "voyage"\n')
    with pytest.raises(BadSettings, match=r"text_embedder\.provider is voyage but there is no key"):
        load_settings(places, {})
