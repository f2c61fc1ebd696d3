"""The stack for a team: what can be checked of it where no container engine runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from paparatsd.loading import OPTIONS, load_settings, variable_of
from paparatsd.locations import resolve_places

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "contrib" / "compose"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
INSTRUCTIONS = frozenset(
    {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
)
KEYS = frozenset({
    "restart", "init", "read_only", "cap_drop", "security_opt", "logging", "image", "user",
    "environment", "secrets", "volumes", "tmpfs", "networks", "ulimits", "mem_limit", "healthcheck",
    "command", "build", "ports", "depends_on", "network_mode", "cpus", "pids_limit",
})  # fmt: skip


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions with their continued lines joined."""
    text = (FOLDER / "Dockerfile").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found = [line.split(None, 1) for line in joined.splitlines()]
    return [(word, rest) for word, rest in found]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_is_locked_down_and_says_how_it_is(name: str) -> None:
    service = SERVICES[name]

    assert set(service) <= KEYS
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"]), "not root, and by number"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["mem_limit"]
    assert service["cpus"]
    assert service["pids_limit"]
    assert "privileged" not in service
    assert "build" in service or re.search(r":[\w.-]+$", service["image"])
    assert not service.get("image", "").endswith(":latest")
    check = service.get("healthcheck")
    assert "build" in service or (check and check["test"][0] == "CMD")


def test_every_name_that_is_used_is_defined() -> None:
    for name, service in SERVICES.items():
        used = [
            one if isinstance(one, str) else one["source"] for one in service.get("secrets", ())
        ]
        assert set(used) <= set(COMPOSE["secrets"]), name
        named = {one.split(":")[0] for one in service.get("volumes", ())}
        assert {one for one in named if "/" not in one} <= set(COMPOSE["volumes"]), name
        assert set(service.get("networks", ())) <= set(COMPOSE["networks"]), name
        assert set(service.get("depends_on", ())) <= set(SERVICES), name
        for one in service.get("depends_on", {}).values():
            assert one["condition"] == "service_healthy"


def test_files_that_are_mounted_are_there_or_made_as_the_readme_says() -> None:
    readme = (FOLDER / "README.md").read_text()
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].startswith("./secrets/")
        assert secret["file"].removeprefix("./") in readme
    for service in SERVICES.values():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            if source.startswith("./"):
                assert mount.endswith(":ro")
                assert (FOLDER / source).exists() or source.removeprefix("./") in readme


def test_no_secret_is_written_out_and_none_is_committed() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    assert not re.search(r"(?i)(api_key|token|password)\s*:\s*[\"']?[A-Za-z0-9]{8,}", text)
    assert "secrets/" in (FOLDER / ".gitignore").read_text().splitlines()


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name in ("qdrant", "embed"):
        assert SERVICES[name]["networks"] == ["inside"]
        assert "ports" not in SERVICES[name]
    assert SERVICES["proxy"]["network_mode"] == "service:paparatsd"
    listens = re.findall(r"listen (\d+) ssl;", (FOLDER / "proxy.conf").read_text())
    assert [port.rpartition(":")[2] for port in SERVICES["paparatsd"]["ports"]] == listens


def test_the_daemon_takes_the_settings_of_the_stack(tmp_path: Path) -> None:
    def fill(value: str) -> str:
        return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)

    chosen = {key: fill(value) for key, value in SERVICES["paparatsd"]["environment"].items()}
    known = {variable_of(key) for key in OPTIONS}
    known |= {name for option in OPTIONS.values() for name in option.variables}
    assert set(chosen) <= known
    home = {"HOME": str(tmp_path)}

    settings = load_settings(resolve_places(home), {**home, **chosen})

    assert settings.store.qdrant_url == "http://qdrant:6333"
    assert settings.store.publish
    assert settings.embedder.url.startswith("http://embed:8080")


def test_the_image_runs_as_nobody_in_particular_and_copies_what_is_there() -> None:
    steps = instructions()
    words = [word for word, _ in steps]
    assert set(words) <= INSTRUCTIONS
    assert words[0] == "FROM"
    assert words.index("USER") > max(at for at, word in enumerate(words) if word == "RUN")
    assert dict(steps)["USER"] == "10001:10001"
    for word, rest in steps:
        if word == "FROM":
            assert re.match(r"[\w./-]+:[\w.-]+", rest)
            assert ":latest" not in rest
        if word in ("CMD", "ENTRYPOINT"):
            assert rest.startswith("[")
        if word == "RUN" and "apt-get install" in rest:
            assert "--no-install-recommends" in rest
            assert "rm -rf /var/lib/apt/lists/*" in rest
        if word == "COPY" and "--from" not in rest:
            *sources, _ = [one for one in rest.split() if not one.startswith("--")]
            assert all((REPOSITORY / source).exists() for source in sources), rest
    kept = (FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
    copied = {one for word, rest in steps if word == "COPY" for one in rest.split()[:-1]}
    assert {one.removeprefix("!") for one in kept if one.startswith("!")} <= copied


def test_the_entry_hands_secrets_over_and_runs_what_it_is_told(tmp_path: Path) -> None:
    shell = shutil.which("sh")
    assert shell
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "qdrant_api_key").write_text("of-the-server\n")
    (secrets / "paparats_token").write_text("a-token-of-some-length\n")
    script = (FOLDER / "entrypoint.sh").read_text().replace("/run/secrets", str(secrets))
    entry = tmp_path / "entry.sh"
    entry.write_text(script)

    done = subprocess.run(
        [
            shell,
            str(entry),
            shell,
            "-c",
            "echo $QDRANT_API_KEY; echo ${PAPARATS_EMBEDDER_API_KEY-}",
        ],
        env={"PATH": os.environ["PATH"], "PAPARATS_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "of-the-server\n\n"
    assert (tmp_path / "token").read_text() == "a-token-of-some-length\n"
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
