"""What the files beside a model say of how it is to be used: pooling, length, texts around it.

The layout is that of sentence-transformers (`modules.json`, `1_Pooling/config.json`,
`sentence_bert_config.json`, `config_sentence_transformers.json`) and of the model hubs
(`config.json`, `tokenizer_config.json`); each of these files may be missing.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from paparatsd.embeddings.families import PLAIN, family_of, templates_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paparatsd.embeddings.families import Templates
    from paparatsd.settings import EmbedderSettings

POOLINGS = ("mean", "cls", "last", "weightedmean")
"""Ways to make one vector of those of the tokens."""
_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean",  # another length, which is scaled to 1
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "last",
    "pooling_mode_max_tokens": "max",
}
_OTHER_WORDS = {"lasttoken": "last", "mean_sqrt_len_tokens": "mean"}
USUAL_TOKENS = 512
MANY_TOKENS = 1 << 20
"""Some files say a number beyond this for "no limit"."""
OFFSET_TYPES = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Models whose first two positions are not for tokens."""
QUERY_PROMPTS, DOCUMENT_PROMPTS = ("query",), ("document", "passage")
MAX_JSON_BYTES = 1 << 24
HASH_BYTES = 1 << 22


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file, an empty one when there is no file. Raises ValueError."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MAX_JSON_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}


def pooling_of(folder: Path) -> str:
    """Return how the model's own files say that tokens become one vector, "" when they do not.

    Raises ValueError for a way that is not among `POOLINGS`.
    """
    found = read_json(folder / "1_Pooling" / "config.json")
    said = found.get("pooling_mode")
    named = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    named = named or [mode for key, mode in _MODES.items() if found.get(key)]
    modes = list(dict.fromkeys(_OTHER_WORDS.get(one, one) for one in named))
    if any(mode not in POOLINGS for mode in modes) or len(modes) > 1:
        raise ValueError(f"pooling by {', '.join(map(str, modes))} is not supported")
    return modes[0] if modes else ""


def has_more_layers(folder: Path) -> bool:
    """Say whether something follows the pooling that changes more than the length of a vector."""
    try:
        modules = json.loads((folder / "modules.json").read_bytes())
    except (OSError, ValueError):
        return False
    kinds = [str(one.get("type", "")).rpartition(".")[2] for one in modules]
    return any(kind not in ("Transformer", "Pooling", "Normalize") for kind in kinds)


def max_tokens_of(folder: Path) -> int:
    """Return how many tokens of a text the model reads."""
    config = read_json(folder / "config.json")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in OFFSET_TYPES:
        positions -= 2
    said = (
        read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        read_json(folder / "tokenizer_config.json").get("model_max_length"),
        positions,
    )
    limits = [int(one) for one in said if isinstance(one, int | float) and 0 < one < MANY_TOKENS]
    return limits[0] if limits else USUAL_TOKENS


def templates_in(folder: Path, settings: EmbedderSettings) -> Templates:
    """Return the templates: those that were set, of the family, or what the folder says.

    The family is the one that was set or that the folder's name shows.
    """
    auto = settings.family == "auto"
    family = family_of(folder.name) if auto else settings.family
    query, document = settings.query_template, settings.document_template
    if auto and family == "none":
        prompts = read_json(folder / "config_sentence_transformers.json").get("prompts")
        said = prompts if isinstance(prompts, dict) else {}
        query = query or _template(said, QUERY_PROMPTS)
        document = document or _template(said, DOCUMENT_PROMPTS)
    return templates_of(family, query, document)


def _template(prompts: dict[str, Any], names: Iterable[str]) -> str:
    texts = [prompts[name] for name in names if isinstance(prompts.get(name), str)]
    return f"{texts[0].replace(PLAIN, '')}{PLAIN}" if texts and texts[0] else ""


def digest_of(files: Iterable[Path], *said: object) -> str:
    """Return a digest of the contents of files and of what was said; takes a second a gigabyte."""
    digest = hashlib.blake2b(repr(said).encode(), digest_size=16)
    for path in files:
        one = hashlib.blake2b()
        with path.open("rb") as file:
            while block := file.read(HASH_BYTES):
                one.update(block)
        digest.update(one.digest())
    return digest.hexdigest()
