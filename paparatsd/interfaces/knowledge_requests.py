"""Requests about documents, terms and cards out of arguments: for the control API and for agents.

Where to look (a `Reach`) is taken by whoever asks, since the arguments for it differ. A draft whose
group was left out has the group ""; `in_its_group` finds the one that must be meant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from paparatsd import knowledge_limits as limits
from paparatsd.docs_model import DocsRequest, DocumentRequest
from paparatsd.errors import BadQuery, UnknownProject
from paparatsd.knowledge_model import (
    CardDraft,
    CardKind,
    CardScope,
    CardsRequest,
    Component,
    ContextRequest,
    Decision,
    Lesson,
    Severity,
    TermDraft,
    TermsRequest,
)
from paparatsd.model import GroupName, ProjectName
from paparatsd.naming import EVERY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.knowledge_model import CardBody, Reach
    from paparatsd.status_model import ProjectStatus

MAX_PATH_CHARS = 4_096
MAX_OFFSET_CHARS = 1_000_000_000
MAX_CURSOR_CHARS = 2_000

Draft = TypeVar("Draft", TermDraft, CardDraft)


def docs_request(
    arguments: Arguments,
    reach: Reach,
    *,
    max_query_chars: int = limits.MAX_QUESTION_CHARS,
    inside: bool = True,
) -> DocsRequest:
    """Take a question to the documents; floors, history and freshness only from `inside`."""
    return DocsRequest(
        query=arguments.text("query", max_chars=max_query_chars),
        reach=replace(reach, audience=arguments.texts("audience")),
        limit=arguments.number("limit", default=limits.DEFAULT_DOCS, low=1, high=limits.MAX_DOCS),
        min_score=_floor(arguments, "min_score") if inside else None,
        min_score_code=_floor(arguments, "min_score_code") if inside else None,
        history=inside and arguments.flag("history", default=False),
        fresh=inside and arguments.flag("fresh", default=False),
    )


def document_request(
    arguments: Arguments, reach: Reach, project: ProjectName, path: str
) -> DocumentRequest:
    """Take which piece of a document is wanted."""
    return DocumentRequest(
        project=project,
        path=path,
        reach=reach,
        offset=arguments.number("offset", default=0, low=0, high=MAX_OFFSET_CHARS),
        max_chars=arguments.number(
            "max_chars",
            default=limits.DEFAULT_DOCUMENT_CHARS,
            low=limits.MIN_DOCUMENT_CHARS,
            high=limits.MAX_DOCUMENT_CHARS,
        ),
    )


def terms_request(arguments: Arguments, reach: Reach) -> TermsRequest:
    """Take a look into the glossary."""
    return TermsRequest(
        query=arguments.text("query", max_chars=limits.MAX_QUESTION_CHARS),
        reach=reach,
        limit=arguments.number(
            "limit", default=limits.DEFAULT_TERMS_FOUND, low=1, high=limits.MAX_TERMS_FOUND
        ),
        min_score=_floor(arguments, "min_score"),
    )


def terms_limit(arguments: Arguments) -> int:
    """Take how many terms of each group a list may have."""
    return arguments.number(
        "limit", default=limits.DEFAULT_TERMS_LISTED, low=1, high=limits.MAX_TERMS_LISTED
    )


def ids_of(arguments: Arguments) -> tuple[str, ...]:
    """Take the ids of the notes that are to be read, none for a list of them."""
    return arguments.texts("ids")


def context_request(arguments: Arguments, reach: Reach) -> ContextRequest:
    """Take a question to the memory."""
    return ContextRequest(
        question=arguments.text("question", max_chars=limits.MAX_QUESTION_CHARS),
        reach=reach,
        limits=_limits(arguments),
        min_score=_floor(arguments, "min_score"),
        checked=arguments.flag("checked", default=True),
    )


def _limits(arguments: Arguments) -> Mapping[CardKind, int] | None:
    given = arguments.members("limits")
    if given is None:
        return None
    wanted = {
        kind: given.number(
            kind.value, default=limits.DEFAULT_OF_A_KIND, low=0, high=limits.MAX_OF_A_KIND
        )
        for kind in CardKind
    }
    given.finish()
    return wanted


def cards_request(arguments: Arguments, reach: Reach, *, cursor: str = "cursor") -> CardsRequest:
    """Take which cards are to be listed; `cursor` is the argument that says where to go on.

    Those that are asked for by their ids are checked unless it is said that they should not be.
    """
    ids = ids_of(arguments)
    return CardsRequest(
        reach=reach,
        kinds=_kinds(arguments),
        history=arguments.flag("include_history", default=False),
        checked=arguments.flag("checked", default=bool(ids)),
        limit=arguments.number(
            "limit", default=limits.DEFAULT_CARDS_LISTED, low=1, high=limits.MAX_CARDS_LISTED
        ),
        cursor=arguments.mark(cursor, max_chars=MAX_CURSOR_CHARS),
        ids=ids,
    )


def is_narrowed(request: CardsRequest) -> bool:
    """Say whether only some of all cards are asked for."""
    reach = request.reach
    return bool(request.kinds or reach.projects or reach.groups)


def audit_request(arguments: Arguments, reach: Reach) -> CardsRequest:
    """Take which cards are to be checked against the code; `limit` is how many may be told."""
    return CardsRequest(
        reach=reach,
        kinds=_kinds(arguments),
        checked=True,
        limit=arguments.number(
            "limit", default=limits.DEFAULT_CARDS_LISTED, low=1, high=limits.MAX_CARDS_LISTED
        ),
    )


def _kinds(arguments: Arguments) -> tuple[CardKind, ...]:
    return tuple(map(CardKind, arguments.choices("kinds", tuple(CardKind))))


def suggestions_limit(arguments: Arguments) -> int:
    """Take how many components may be suggested."""
    return arguments.number(
        "limit", default=limits.DEFAULT_SUGGESTIONS, low=1, high=limits.MAX_SUGGESTIONS
    )


# --------------------------------------------------------------------------- writing


def term_draft(arguments: Arguments) -> TermDraft:
    """Take a term that is to be written."""
    group, project = _place(arguments)
    return TermDraft(
        group=group,
        term=arguments.text("term", max_chars=limits.MAX_TERM_CHARS),
        definition=arguments.text("definition", max_chars=limits.MAX_DEFINITION_CHARS),
        aliases=arguments.texts("aliases"),
        project=project,
    )


def component_draft(arguments: Arguments) -> CardDraft:
    """Take a component that is to be written; it needs a project."""
    group, project = _place(arguments)
    if project is None:
        raise BadQuery("project is missing; a component belongs to one project")
    body = Component(
        name=arguments.text("name", max_chars=limits.MAX_LABEL_CHARS),
        summary=arguments.text("summary", max_chars=limits.MAX_TEXT_CHARS),
        neighbours=arguments.texts("neighbours"),
    )
    return _card(arguments, group, project, body)


def decision_draft(arguments: Arguments) -> CardDraft:
    """Take a decision that is to be written."""
    group, project = _place(arguments)
    body = Decision(
        title=arguments.text("title", max_chars=limits.MAX_LABEL_CHARS),
        context=arguments.text("context", max_chars=limits.MAX_TEXT_CHARS),
        decision=arguments.text("decision", max_chars=limits.MAX_TEXT_CHARS),
        consequences=arguments.text("consequences", max_chars=limits.MAX_TEXT_CHARS),
        alternatives_rejected=arguments.optional_text(
            "alternatives_rejected", max_chars=limits.MAX_TEXT_CHARS
        )
        or "",
        scope=_scope(arguments),
        supersedes=arguments.optional_text("supersedes", max_chars=limits.MAX_LABEL_CHARS),
    )
    return _card(arguments, group, project, body)


def lesson_draft(arguments: Arguments) -> CardDraft:
    """Take a lesson that is to be written."""
    group, project = _place(arguments)
    severity = arguments.choice("severity", tuple(Severity), default=Severity.INFO)
    body = Lesson(
        rule=arguments.text("rule", max_chars=limits.MAX_RULE_CHARS),
        why=arguments.text("why", max_chars=limits.MAX_TEXT_CHARS),
        when=arguments.text("when", max_chars=limits.MAX_TEXT_CHARS),
        scope=_scope(arguments),
        severity=Severity(severity),
        evidence=arguments.optional_text("evidence", max_chars=limits.MAX_TEXT_CHARS),
    )
    return _card(arguments, group, project, body)


def in_its_group(draft: Draft, projects: Sequence[ProjectStatus]) -> Draft:
    """Return the draft with the group that must be meant when none was named.

    That is the group of its project, else the only one there is. `projects` are all that whoever
    writes may know of. Raises BadQuery that names the groups, UnknownProject.
    """
    if draft.group:
        return draft
    groups = sorted({one.group for one in projects})
    if draft.project is not None:
        homes = [one.group for one in projects if one.name == draft.project]
        if homes:
            return replace(draft, group=homes[0])
        if groups:
            known = ", ".join(sorted(one.name for one in projects))
            raise UnknownProject(f"no project named {draft.project!r} (projects: {known})")
    if len(groups) == 1:
        return replace(draft, group=groups[0])
    if not groups:
        raise BadQuery("group is missing, and no project is registered whose group could be meant")
    raise BadQuery(f"group is missing; there are several: {', '.join(groups)}")


def _place(arguments: Arguments) -> tuple[GroupName, ProjectName | None]:
    """Take where a note is to live; the group is "" when it was left out."""
    group = arguments.optional_text("group")
    project = arguments.optional_text("project")
    named = None if project in (None, EVERY) else ProjectName(str(project))
    return GroupName(group or ""), named


def _card(
    arguments: Arguments, group: GroupName, project: ProjectName | None, body: CardBody
) -> CardDraft:
    return CardDraft(
        group=group,
        body=body,
        project=project,
        files=arguments.texts("files"),
        anchors=arguments.texts("anchors"),
    )


def _scope(arguments: Arguments) -> CardScope:
    return CardScope(arguments.choice("scope", tuple(CardScope), default=CardScope.GLOBAL))


def _floor(arguments: Arguments, name: str) -> float | None:
    return arguments.optional_real(name, low=0.0, high=1.0)
