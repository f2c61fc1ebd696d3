from __future__ import annotations

import pytest

from paparatsd.ticket_patterns import MAX_PATTERN_CHARS, BadPatternError, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"[A-Z]+-\d+", "see ABC-12", "ABC-12"),
        (r"[A-Z][A-Z0-9]+-\d+", "see A1-12", "A1-12"),
        (r"(\w+)-(\d+)", "see abc-12", "abc-12"),
        (r"\bT(\d{4,})\b", "see T12345", "T12345"),
        (r"(?:JIRA|TASK|BUG)[-_ ]?#?(\d+)", "see TASK #12", "TASK #12"),
        (r"(?i)bug +\d+", "see Bug  12", "Bug  12"),
        (r"(?<=bug )\d+(?! days)", "bug 12", "12"),
        (r"X(?:-\d{2}){3}", "X-12-13-14", "X-12-13-14"),
        (r"[^\W\d]+:\d+", "abc:12", "abc:12"),
        (r"(?:[A-Z]{2,10}-)?\d{3,6}", "ABC-123", "ABC-123"),
        (r"(?:a|b)+c", "abac", "abac"),
        (r"(?P<key>#\d+)", "#12", "#12"),
        (r"задача-\d+", "задача-5", "задача-5"),
        (r"[a-z]++:\d+", "abc:5", "abc:5"),
    ],
)
def test_patterns_as_people_write_them_are_taken(pattern: str, text: str, found: str) -> None:
    match = compile_pattern(pattern).search(text)

    assert match is not None
    assert match.group() == found


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "no regular expression: missing )"),
        ("[a", "no regular expression"),
        ("x{99999999999}", "no regular expression"),
        ("(?<=a+)b", "no regular expression: look-behind"),
        (r"\d*", "the empty text"),
        ("(?:abc)?", "the empty text"),
        ("a|", "the empty text"),
        ("^$", "the empty text"),
        ("(a+)+", "lies in another repeat"),
        ("(a*b?)*c", "lies in another repeat"),
        ("(?:(?:ab)+x){2,}", "lies in another repeat"),
        (r"(\d{1,3}\.){4}", "lies in another repeat"),
        ("(?:a?){50}a", "lies in another repeat"),
        ("(?:ab|abc)+x", "repeats a choice"),
        (r"\w+\w+x", "the same characters"),
        (r".*ABC-\d+", "the same characters"),
        (r"\S+-\d+", "the same characters"),
        (r"(?i)[a-z]+[A-Z]+1", "the same characters"),
        (r"(?i:[a-z]+[A-Z]+1)", "the same characters"),
        (r"[^x]+\d+", "the same characters"),
        (r"\D+[a-c]+", "the same characters"),
        ("a+b?a+c", "the same characters"),
        ("(?:a+|b)a+c", "the same characters"),
        ("a+(?=a+b)", "the same characters"),
        ("[а-я]+[б-г]+", "the same characters"),
        ("(?>a+)a+b", "the same characters"),
        (r"(a)\1", "refers back"),
        ("(a)?(?(1)b|c)", "refers back"),
        (r"(?:(?=a)a)+", "look around"),
        ("a?" * 10 + "b", "over 32 ways"),
        ("(?:a|b c)" * 8, "over 32 ways"),
        ("x" * (MAX_PATTERN_CHARS + 1), "over 200 characters"),
        ("(" * 90 + "a" + ")" * 90 + "(", "no regular expression"),
    ],
)
def test_a_pattern_that_is_wrong_or_could_be_slow_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(BadPatternError, match=problem.replace("(", r"\(").replace(")", r"\)")):
        compile_pattern(pattern)
