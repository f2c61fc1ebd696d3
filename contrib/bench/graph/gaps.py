"""Takes the marks off those known gaps of `tests/graph_truth` that work now; never adds one.

python contrib/bench/graph/gaps.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.integration.test_graph_truth import (
    GAPS,
    LANGUAGES,
    TRUTH,
    answers_of,
    questions_of,
    spelled_counts,
)


def main() -> int:
    """Rewrite keys and the count of what is left."""
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory(prefix="paparats-bench-") as scratch:
            answered = answers_of(language, Path(scratch))
        closed = {one.text for one, said in answered if one.gap and said == one.answer}
        key = TRUTH / language / "key.txt"
        lines = key.read_text(encoding="utf-8").splitlines()
        kept = [line.removeprefix("? ") if line in closed else line for line in lines]
        key.write_text("\n".join(kept) + "\n", encoding="utf-8")
        for line in sorted(closed):
            print(f"{language}: {line}")
    gaps = {language: sum(one.gap for one in questions_of(language)) for language in LANGUAGES}
    GAPS.write_text(spelled_counts(gaps), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
