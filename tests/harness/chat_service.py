"""A stand-in for chat models behind /v1/chat/completions: OpenAI, Ollama, llama-server.

service = ChatService(content='{"words": ["limit"]}')
server.decide = service.answer
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.harness.fake_embedder import Reply

if TYPE_CHECKING:
    from tests.harness.fake_embedder import Request


@dataclass
class ChatService:
    """Replies `content`; `tokens` is the most that it writes before it stops."""

    content: Any = '{"words": ["throttle"], "code": "def throttle(): ..."}'
    key: str = ""
    model: str = "small"

    def answer(self, request: Request) -> Reply:
        """Answer a request as such a service would."""
        body = request.body
        if request.path != "/v1/chat/completions":
            return openai_error(404, "Unknown request URL")
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return openai_error(401, "Incorrect API key provided.")
        if body["model"] != self.model:
            return openai_error(404, f"model '{body['model']}' not found")
        if [one["role"] for one in body["messages"]] != ["system", "user"] or body.get("stream"):
            return openai_error(400, "not what this stand-in knows")
        message = {"role": "assistant", "content": self.content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        reply = {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}
        return Reply(body=json.dumps({**reply, "model": self.model}).encode())


def openai_error(status: int, message: str) -> Reply:
    """Return an error in OpenAI's form."""
    error = {"message": message, "type": "invalid_request_error", "code": None}
    return Reply(status, {}, json.dumps({"error": error}).encode())
