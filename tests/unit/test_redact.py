from __future__ import annotations

import time

import pytest

from paparatsd.redact import find_key_material, is_secret_name

# Built from parts, so that this file itself holds nothing that looks like a key.
AWS = "AK" + "IAQ7ZP3WJ5LK2MN8RT"
AWS_SECRET = "q7Zp3Wj5Lk2Mn8Rt" + "/yB+c4Df6Gh1Jx9Sv0Uw2E3a"
PEM = "-----BEGIN " + "RSA PRIVATE KEY-----"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJhZGEifQ.dGhpcy1pcy1hLXNpZw"


@pytest.mark.parametrize(
    "path",
    [
        ".env", "a/.env.local", ".envrc", "x.pem", "KEY.PEM", "tls.key", "id_rsa", "id_rsa.pub",
        "id_ed25519", "store.p12", "vault.kdbx", "credentials", "credentials.json",
        ".credentials.json", "secrets.yaml", "conf/secrets.prod.yml", "secrets.toml",
        "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", ".netrc", ".pypirc",
        "shadow", "etc/gshadow", "etc/shadow-", "gshadow-", "passwd-", ".htpasswd", "a.keystore",
        "release.JKS", ".pgpass", ".git-credentials", "web/.npmrc", ".dockercfg",
        ".docker/config.json", "home/.docker/config.json", ".aws/credentials", ".kube/config",
        ".ssh/github", "x/.ssh/work_key", ".ssh/old/key", ".gnupg/secring.gpg", ".m2/settings.xml",
    ],
)  # fmt: skip
def test_files_that_usually_hold_secrets_are_known_by_name(path: str) -> None:
    assert is_secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        "secrets.py", "credentials.go", "src/secrets/store.rs", "environment.ts", "keys.py",
        "monkey", "docs/credentials.md", "env.py", "id.py", "README.md", "passwd", "etc/group",
        "shadow.py", "src/shadow/map.c", "docker/config.json", "config.json", "kube/config",
        ".ssh/config", ".ssh/known_hosts", ".ssh/work.pub", "x.ssh/key", "npmrc.md", "settings.xml",
    ],
)  # fmt: skip
def test_code_about_secrets_is_not_a_secret(path: str) -> None:
    assert not is_secret_name(path)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"key = '{AWS}'", "AWS access key id"),
        (f"aws_secret_access_key = {AWS_SECRET}\n", "AWS secret access key"),
        (f"export AWS_SECRET_ACCESS_KEY='{AWS_SECRET}'", "AWS secret access key"),
        (f'{{"SecretAccessKey": "{AWS_SECRET}"}}', "AWS secret access key"),
        (f"awsSecretKey: {AWS_SECRET}", "AWS secret access key"),
        (f':aws_secret_key => "{AWS_SECRET}"', "AWS secret access key"),
        (f"{PEM}\nMIIEpAIBAAKCAQEA\n", "private key"),
        (f'K = "{PEM}\\nMIIEpAIBAAKCAQEA"', "private key"),
        (f'K = "{PEM}\\n" +\n  "MIIEpAIBAAKCAQEAabcdef"', "private key"),
        (f"  key: |\n    {PEM}\r\n    MIIEpAIBAAKCAQEA\n", "private key"),
        (f"{PEM}\nProc-Type: 4,ENCRYPTED\n", "private key"),
        ("-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r", "private key"),
        ("-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\nVersion: 1\n", "private key"),
        ("t = gh" + "p_" + "aB3" * 12, "GitHub token"),
        ("github" + "_pat_" + "A1" * 11 + "_" + "b" * 59, "GitHub token"),
        (f"Bearer {JWT}", "JSON web token"),
        ("xox" + "b-123456789012-abcdefGHIJ", "Slack token"),
        ("gl" + "pat-" + "a1" * 10, "GitLab token"),
        ("AI" + "za" + "B" * 35, "Google API key"),
        ("sk" + "_live_" + "a1" * 12, "Stripe key"),
    ],
)
def test_well_known_keys_are_found(text: str, kind: str) -> None:
    assert find_key_material(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AK" + "IAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = " + "x" * 40,
        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']",
        "secret_access_key = '" + "a1" * 20 + "b2'",
        "commit = " + "a1" * 20,
        "gh" + "p_" + "x" * 36,
        "AK" + "IA" + "X" * 16,
        f'if text.startswith("{PEM}"):\n    return True\n',
        f'const head = "{PEM}"\nconst tail = ""\n',
        f"{PEM}\n...\n-----END RSA PRIVATE KEY-----",
        f"{PEM}\nyour key here\n",
        "task-" + "a" * 48,
        "eyJhbGci.eyJ",
        "AKIA",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkq\n",
    ],
)
def test_placeholders_and_code_that_looks_for_keys_are_harmless(text: str) -> None:
    assert find_key_material(text) is None


def test_a_real_key_behind_a_placeholder_is_found() -> None:
    assert find_key_material("AK" + f"IAIOSFODNN7EXAMPLE\n{AWS}\n")


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ",
        "-eyJ-",
        "eyJaaaaaaaaaa.",
        "xoxb-",
        "ghp_aa ",
        "AKIA",
        "sk-",
        "-----BEGIN A PRIVATE",
        "aws_secret_access_key = ",
    ],
)
def test_searching_is_linear_in_the_text(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.perf_counter()
        find_key_material(text)
        return time.perf_counter() - started

    seconds(10_000)
    assert seconds(400_000) < 20 * seconds(100_000) + 0.05
