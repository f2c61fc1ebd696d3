"""Which licences a package may have to be trained on, from its metadata or its licence files."""

from __future__ import annotations

import re

PERMISSIVE = re.compile(
    r"\b(MIT(-0)?|Expat|X11|BSD([- ]?[0-4]?[- ]?clauses?)?|[023]BSD|Apache|ASL|ISC|zlib|PSF|"
    r"Python Software Foundation|Unlicense|CC0|BSL-1\.0|Boost|Unicode|NCSA|PostgreSQL|"
    r"Artistic-2|public[- ]domain)\b",
    re.IGNORECASE,
)
RESTRICTED = re.compile(
    r"\b([AL]?GPL|GNU|MPL|Mozilla|EUPL|CDDL|EPL|Eclipse|SSPL|BUSL|Business Source|Elastic|CC-BY|"
    r"Reciprocal|RPL|MS-?PL|proprietary|commercial|Commons Clause|OpenSSL|CeCILL|OFL)",
    re.IGNORECASE,
)
LICENCE_FILE = re.compile(
    r"^(UN)?(LICEN[SC]E|COPYING|COPYRIGHT|COPYRIGTH)([-._].*)?$", re.IGNORECASE
)

_TEXTS = (
    ("restricted", r"GNU (LESSER |AFFERO )?GENERAL PUBLIC|Mozilla Public License|Eclipse Public"
                   r"|Business Source License|Server Side Public|Commons Clause|Reciprocal Public"),
    ("Apache-2.0", r"Apache License[\s,]+(?:Version )?2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD", r"Redistribution and use (of this software )?in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify,? and(/or)? distribute this software"),
    ("BSL-1.0", r"Boost Software License"),
    ("Zlib", r"This software is provided ['\"]as-is['\"]"),
    ("Unlicense", r"This is free and unencumbered software"),
    ("CC0-1.0", r"CC0 1\.0 Universal"),
    ("Artistic-2.0", r"Artistic License 2\.0"),
)  # fmt: skip


def accepted(licence: str) -> bool:
    """Whether a stated licence is permissive and names no other: odd and dual ones are refused."""
    return bool(PERMISSIVE.search(licence)) and not RESTRICTED.search(licence)


def of_texts(texts: list[str]) -> str:
    """Name the licences found in the texts of licence files ("" when none is known)."""
    found = []
    for text in texts:
        # The first lines name the licence; notes on bundled parts come after.
        head = re.sub(r"\s+", " ", text[:4000])
        for name, pattern in _TEXTS:
            if re.search(pattern, head, re.IGNORECASE):
                found.append("GNU or other copyleft" if name == "restricted" else name)
                break
    return " AND ".join(dict.fromkeys(found))


def of_wheel(metadata: str) -> str:
    """Name the licences stated in a wheel's METADATA."""
    head = metadata.split("\n\n", 1)[0]
    stated = re.findall(
        r"^(?:License-Expression|License|Classifier: License)(?: ::|:)\s*(.{1,80})",
        head,
        re.MULTILINE,
    )
    names = (re.sub(r"^.*:: ", "", line).strip() for line in stated)
    return "; ".join(dict.fromkeys(name for name in names if name and name != "OSI Approved"))


def of_debian(copyright_text: str) -> str:
    """Name the licence of the `Files: *` paragraph of a Debian copyright file."""
    match = re.search(r"(?ms)^Files: \*\s.*?^License:\s*([^\n]+)", copyright_text)
    match = match or re.search(r"(?m)^License:\s*([^\n]+)", copyright_text)
    return match.group(1).strip() if match else of_texts([copyright_text])
