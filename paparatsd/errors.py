"""The exception tree. A class exists only if somebody handles it differently.

Messages say what happened, to what, and what to do next; they never carry file content.
Each interface maps these classes to its own codes in one table (HTTP status, JSON-RPC code,
exit code).
"""

from __future__ import annotations


class PaparatsError(Exception):
    """Base of everything raised on purpose; `str(error)` is fit for a person."""

    code = "error"


class UserError(PaparatsError):
    """The caller asked for something wrong (400, exit 64)."""

    code = "bad_request"


class BadQuery(UserError):
    """A query or argument that cannot be used as it is."""

    code = "bad_query"


class UnknownProject(UserError):
    """No project of that name is registered (404)."""

    code = "unknown_project"


class UnknownAddress(UserError):
    """An address that names nothing in the current view (404)."""

    code = "unknown_address"


class UnknownDocument(UserError):
    """A document that is not there, or that whoever asks may not see (404)."""

    code = "unknown_document"


class BadSettings(UserError):
    """A settings file, variable or flag that cannot be used; names the key (exit 78)."""

    code = "bad_settings"


class TooLarge(UserError):
    """More was sent than is kept (413)."""

    code = "too_large"


class Conflict(UserError):
    """The request contradicts what is there, for example a duplicate name (409)."""

    code = "conflict"


class Refused(PaparatsError):
    """Not allowed: token, peer or path (403, exit 77)."""

    code = "refused"


class Busy(PaparatsError):
    """Try later: a queue is full or a lock is held (503, exit 75)."""

    code = "busy"


class Unavailable(PaparatsError):
    """Something we depend on is down (503, exit 69)."""

    code = "unavailable"


class EmbedderUnavailable(Unavailable):
    """The embedding endpoint does not answer."""

    code = "embedder_unavailable"


class VectorStoreUnavailable(Unavailable):
    """The vector store does not answer."""

    code = "vector_store_unavailable"


class ChildDied(Unavailable):
    """One of our own child processes ended or missed its deadline."""

    code = "child_died"


class GitFailed(Unavailable):
    """A git command failed or missed its deadline; `complaint` is what git itself said of it."""

    code = "git_failed"

    def __init__(self, message: str, complaint: str = "") -> None:
        super().__init__(message)
        self.complaint = complaint


class StateUnwritable(Unavailable):
    """Our state cannot be written now (disk full, size limit, read-only); nothing was changed."""

    code = "state_unwritable"


class BadReply(PaparatsError):
    """A dependency answered nonsense (502, exit 76)."""

    code = "bad_reply"


class Broken(PaparatsError):
    """Our own state is unusable (500, exit 70)."""

    code = "broken"


class StateCorrupt(Broken):
    """A state file fails its checks; it is moved aside and rebuilt."""

    code = "state_corrupt"


class SchemaTooNew(Broken):
    """The state was written by a newer version; it is left untouched (exit 78)."""

    code = "schema_too_new"
