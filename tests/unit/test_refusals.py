"""What is read from the error replies of endpoints."""

from __future__ import annotations

import json

import pytest

from paparatsd.endpoints.refusals import part_that_fits


def error(message: str) -> bytes:
    return json.dumps({"error": {"code": 500, "message": message, "type": "server_error"}}).encode()


@pytest.mark.parametrize(
    "message",
    [
        "input (640 tokens) is too large to process. increase the physical batch size "
        "(current batch size: 512)",
        "This model's maximum context length is 512 tokens, however you requested 640 tokens "
        "(640 in your prompt; 0 for the completion).",
        "You passed 640 input tokens and requested 0 output tokens. However, the model's context "
        "length is only 512 tokens.",
        "`inputs` must have less than 512 tokens. Given: 640",
    ],
)
def test_a_reply_that_names_limit_and_length_tells_which_part_would_fit(message: str) -> None:
    assert part_that_fits(error(message)) == 512 / 640


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json 640 tokens, 512 tokens",
        error("the input length exceeds the context length"),
        error("input (640 tokens) is too large to process"),
        error("input (512 tokens) is too large to process (current batch size: 512)"),
        error("at most 512 tokens a minute, 640 tokens were asked for"),
    ],
)
def test_a_reply_that_does_not_name_both_tells_nothing(data: bytes) -> None:
    assert part_that_fits(data) == 0.0
