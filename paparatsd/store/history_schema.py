"""The tables of the history file. A change here is a new migration, never an edit of an old one."""

from __future__ import annotations

from paparatsd.store.migrations import FileKind, Migration

# What is known of a commit, in `commits.state`.
DOOMED, ABSENT, KNOWN, PARTIAL, WHOLE = -1, 0, 1, 2, 3
"""On its way out; named by a child only; its id and parents; facts half written; all facts."""

INITIAL = (
    # `id` is NULL while all of a repository is being deleted. AUTOINCREMENT here and below: a
    # number is never used again, so what still names it finds nothing rather than another.
    """CREATE TABLE repositories(
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, heads TEXT NOT NULL,
        shallow TEXT NOT NULL, wording TEXT NOT NULL, ignored TEXT NOT NULL,
        commits INTEGER NOT NULL, facts INTEGER NOT NULL, touches INTEGER NOT NULL) STRICT""",
    # `parent` is the first parent (0: none), `others` the further ones, packed; a parent that is
    # not there has a row of its own (ABSENT). `paths` are the numbers of all that it touched.
    """CREATE TABLE commits(
        number INTEGER PRIMARY KEY AUTOINCREMENT, repo INTEGER NOT NULL, id BLOB NOT NULL,
        parent INTEGER NOT NULL, others BLOB, state INTEGER NOT NULL,
        committed INTEGER NOT NULL, searchable INTEGER NOT NULL DEFAULT 0,
        boundary INTEGER, author INTEGER, committer INTEGER,
        authored INTEGER, authored_zone INTEGER, committed_zone INTEGER) STRICT""",
    "CREATE UNIQUE INDEX commits_id ON commits(repo, id)",
    "CREATE INDEX commits_time ON commits(repo, state, committed)",
    "CREATE INDEX commits_author ON commits(author) WHERE author IS NOT NULL",
    "CREATE INDEX commits_committer ON commits(committer) WHERE committer IS NOT NULL",
    "CREATE INDEX commits_doomed ON commits(number) WHERE state = -1",
    "CREATE INDEX commits_unsearchable ON commits(number) WHERE state = 3 AND searchable = 0",
    # Beside `commits`, so that reading the graph never pages through messages.
    """CREATE TABLE messages(
        number INTEGER PRIMARY KEY, subject TEXT NOT NULL, body ANY NOT NULL,
        paths BLOB NOT NULL) STRICT""",
    """CREATE TABLE persons(
        number INTEGER PRIMARY KEY AUTOINCREMENT, repo INTEGER NOT NULL, name TEXT NOT NULL,
        email TEXT NOT NULL, UNIQUE(repo, name, email)) STRICT""",
    # Bytes: a path of git need not be text.
    """CREATE TABLE paths(
        number INTEGER PRIMARY KEY AUTOINCREMENT, repo INTEGER NOT NULL, path BLOB NOT NULL,
        UNIQUE(repo, path)) STRICT""",
    # Clustered by path: a replay reads all that ever happened to a path in one go.
    """CREATE TABLE touches(
        path INTEGER NOT NULL, number INTEGER NOT NULL, parent INTEGER NOT NULL,
        change INTEGER NOT NULL, whole INTEGER NOT NULL, old_path INTEGER, same_in INTEGER,
        blob BLOB NOT NULL, hunks BLOB NOT NULL,
        PRIMARY KEY(path, number, parent)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX touches_old ON touches(old_path) WHERE old_path IS NOT NULL",
    """CREATE TABLE tickets(
        repo INTEGER NOT NULL, key TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL,
        source TEXT NOT NULL, relation TEXT NOT NULL,
        PRIMARY KEY(repo, key, number, source, relation)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX tickets_commit ON tickets(number)",
    # By ids: a rewrite is heard of before either commit is read, and outlives the old one.
    """CREATE TABLE rewrites(
        repo INTEGER NOT NULL, old BLOB NOT NULL, new BLOB NOT NULL, kind TEXT NOT NULL,
        at REAL NOT NULL, PRIMARY KEY(repo, old, new)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX rewrites_new ON rewrites(repo, new)",
    # `base` 0: no commit touched the path.
    """CREATE TABLE pasts(
        number INTEGER PRIMARY KEY, repo INTEGER NOT NULL, version INTEGER NOT NULL,
        base INTEGER NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL, pack BLOB NOT NULL,
        UNIQUE(version, base)) STRICT""",
    "CREATE INDEX pasts_used ON pasts(used, size)",
    "CREATE INDEX pasts_base ON pasts(base)",
    "CREATE INDEX pasts_repo ON pasts(repo)",
    # Commits that no head reached when last looked, and since when.
    "CREATE TABLE unreached(number INTEGER PRIMARY KEY, since REAL NOT NULL) STRICT",
    # One row while something was deleted whose last traces are still to be swept up.
    "CREATE TABLE sweeping(due INTEGER PRIMARY KEY) STRICT",
    # What the words of the full-text index were made by; empty while there is no index.
    "CREATE TABLE words(version INTEGER NOT NULL) STRICT",
)

HISTORY = FileKind(
    "history", 0x50617048, (Migration(1, INITIAL),), "to have the history read again"
)
"""Its application id is "PapH"."""
