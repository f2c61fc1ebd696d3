"""Recognises files that hold secrets, by their name and by what is in them.

A false alarm costs one file that is not searchable and can be overridden per project; a miss
puts a key into an index. So the rules lean to the alarm, except for values that documentation
uses as placeholders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate

_SECRET_NAMES = (
    ".boto",
    ".dockercfg",
    ".env*",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".mylogin.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    "_netrc",
    "*.jks",
    "*.kdbx",
    "*.key",
    "*.keystore",
    "*.p12",
    "*.pem",
    "*.pfx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    "gshadow",
    "gshadow-",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "id_rsa*",
    "passwd-",
    "rclone.conf",
    "shadow",
    "shadow-",
)
_SECRET_NAME = re.compile("|".join(translate(pattern) for pattern in _SECRET_NAMES))
_SECRET_PLACE = re.compile(
    # What tools keep in directories of theirs under names that say nothing. In .ssh, all but what
    # is public or says no more than where to connect.
    r"(?:^|/)(?:\.docker/config\.json|\.kube/config|\.gnupg/.+|\.m2/settings(?:-security)?\.xml"
    r"|\.ssh/(?!config$|known_hosts|authorized_keys|.*\.(?:pub|md)$).+)$"
)
_SECRET_DATA = ("credentials", "secrets")
_DATA_SUFFIXES = frozenset({"", "ini", "json", "toml", "yaml", "yml"})


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """One well-known format: text without any of `marks` cannot contain it."""

    kind: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]


def _token(expression: str) -> re.Pattern[str]:
    """Compile a format that starts where a run of token characters starts.

    So every character is looked at a bounded number of times: matching is linear.
    """
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{expression})")


_PEM_HEAD = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_PEM_LINE = r"(?:\\r)?(?:\\n|\r?\n)[ \t>#*/|\\]{0,40}(?=[A-Za-z0-9+/])(?!(?i:your|x{3}|redacted))"
_PEM_QUOTED = r"(?:\\r)?(?:\\n)?[\"'`][ \t\r\n+.,\\]{1,80}[\"'`](?=[A-Za-z0-9+/]{16})"

KEY_FORMATS = (
    KeyFormat("AWS access key id", ("AKIA", "ASIA"), _token(r"A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])")),
    KeyFormat(
        "AWS secret access key",
        ("ecret", "ECRET"),
        # It has no form of its own: only what it is assigned to tells it from a hash.
        re.compile(
            r"(?i:aws_?secret(?:_?access)?(?:_?key)?|secret_?access_?key)[\"']?[ \t]{0,20}"
            r"(?::=|=>|[:=])[ \t]{0,20}[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
        ),
    ),
    KeyFormat(
        "private key",
        ("PRIVATE KEY",),
        # In a file of its own or a long string: the body follows on the next line. In code as
        # adjacent strings: the next one holds the body. A header alone is code that looks for it.
        re.compile(rf"{_PEM_HEAD}(?:{_PEM_LINE}[A-Za-z0-9+/=:-]{{3,}}|{_PEM_QUOTED})"),
    ),
    KeyFormat("private key", ("PuTTY-User-Key-File-",), _token(r"PuTTY-User-Key-File-[0-9]: ")),
    KeyFormat("private key", ("AGE-SECRET-KEY-1",), _token(r"AGE-SECRET-KEY-1[0-9A-Z]{58}")),
    KeyFormat(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _token(r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ),
    KeyFormat("GitLab token", ("glpat-",), _token(r"glpat-[A-Za-z0-9_-]{20,}")),
    KeyFormat(
        "JSON web token",
        ("eyJ",),
        _token(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ),
    KeyFormat("Slack token", ("xox",), _token(r"xox[abeoprs]-(?:[0-9]-)?[A-Za-z0-9-]{10,}")),
    KeyFormat(
        "Slack webhook",
        ("hooks.slack.com/services/",),
        re.compile(r"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
    ),
    KeyFormat("Google API key", ("AIza",), _token(r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    KeyFormat("Stripe key", ("k_live_",), _token(r"[rs]k_live_[A-Za-z0-9]{20,}")),
    KeyFormat("Anthropic key", ("sk-ant-",), _token(r"sk-ant-[A-Za-z0-9_-]{32,}")),
    KeyFormat(
        "OpenAI key",
        ("sk-",),
        _token(r"sk-(?:(?:proj|svcacct)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{48}(?![A-Za-z0-9]))"),
    ),
    KeyFormat("npm token", ("npm_",), _token(r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])")),
    KeyFormat("PyPI token", ("pypi-AgE",), _token(r"pypi-AgE[A-Za-z0-9_-]{50,}")),
    KeyFormat("Hugging Face token", ("hf_",), _token(r"hf_[A-Za-z0-9]{34}(?![A-Za-z0-9])")),
    KeyFormat("SendGrid key", ("SG.",), _token(r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}")),
    KeyFormat("DigitalOcean token", ("dop_v1_",), _token(r"dop_v1_[0-9a-f]{64}")),
)

_ARMOUR = re.compile(r"^-----BEGIN ([A-Z0-9][A-Z0-9 ]{0,40})-----\r?$", re.MULTILINE)
_ARMOUR_CHARS = 4096
"""Tools put readable lines above the first block; no more than this."""

_PLACEHOLDER = re.compile(r"EXAMPLE(?:KEY)?$|[xX]{8}")


def is_secret_name(path: str) -> bool:
    """Say whether a file of this name, or in this place, is one that usually holds secrets."""
    path = path.lower()
    name = path.rsplit("/", 1)[-1]
    if _SECRET_NAME.match(name) or ("/" in path and _SECRET_PLACE.search(path)):
        return True
    stem, _, suffix = name.lstrip(".").rpartition(".")
    if not stem:
        stem, suffix = suffix, ""
    return suffix in _DATA_SUFFIXES and stem.startswith(_SECRET_DATA)


def find_key_material(text: str) -> str | None:
    """Return the kind of the first key found in the text, or None. Linear in the text."""
    for form in KEY_FORMATS:
        if not any(mark in text for mark in form.marks):
            continue
        for match in form.pattern.finditer(text):
            if not _PLACEHOLDER.search(match.group()):
                return form.kind
    return None


def find_armour(text: str) -> str:
    """Return what the first PEM block near the beginning says it is ("certificate"), or ""."""
    found = _ARMOUR.search(text[:_ARMOUR_CHARS])
    return found[1].lower() if found else ""
