"""Saved runs: an SQLite file in the user's data folder, or memory where nothing may stay.

A run is a row of facts and pieces, which are added while it goes on, so that a crash loses at most
what was not yet added. All access is through one connection, under one lock.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

_log = logging.getLogger(__name__)
_MIGRATIONS = (
    """
    CREATE TABLE runs (
        uid TEXT PRIMARY KEY, owner TEXT NOT NULL, created REAL NOT NULL, beat REAL NOT NULL,
        status TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, solver TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT '', pinned INTEGER NOT NULL DEFAULT 0,
        deleted INTEGER NOT NULL DEFAULT 0, reached INTEGER NOT NULL, total INTEGER NOT NULL,
        figures TEXT NOT NULL, facts TEXT NOT NULL);
    CREATE INDEX by_time ON runs (deleted, pinned DESC, created DESC);
    CREATE TABLE pieces (
        uid TEXT NOT NULL, k INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (uid, k));
    """,
    """
    CREATE TABLE pages (
        token TEXT PRIMARY KEY, owner TEXT NOT NULL, updated REAL NOT NULL, document TEXT NOT NULL);
    """,
    """
    CREATE TABLE states (uid TEXT PRIMARY KEY, bytes BLOB NOT NULL);
    """,
)
"""What makes a store of version k one of version k + 1."""
_LISTED = "uid, created, beat, status, name, title, solver, note, pinned, reached, total, figures"
_OF_RUNS = ("pieces", "states", "runs")
"""The tables that name runs, that which lists them last."""
_SILENT_SECONDS = 5.0
_BUSY_SECONDS = 5.0
_MOST_PAGES = 200
LIVE, INTERRUPTED = "live", "interrupted"


def folder() -> Path:
    """Where runs are saved: FWCORE_RUNS, or the user's data folder."""
    chosen = os.environ.get("FWCORE_RUNS")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("fwcore"))


def _held(uid: str, state: bytes) -> tuple[str, Sequence[Any]]:
    return "INSERT OR REPLACE INTO states VALUES (?, ?)", (uid, state)


class History:
    """The saved runs. ``trouble`` says in a sentence why nothing is saved; it is empty else.

    ``file`` None keeps them in memory, at most ``most`` of them.
    """

    def __init__(self, file: Path | None, most: int | None = None) -> None:
        self.trouble = ""
        self._file, self._most = file, most
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._connection: sqlite3.Connection | None = None
        # Who reads a file waits for nobody who writes it.
        self._reader: sqlite3.Connection | None = None
        with self._lock:
            self._open()

    @property
    def lasting(self) -> bool:
        """Whether what is saved outlives this server."""
        return self._file is not None

    def _open(self) -> None:
        try:
            if self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connected()
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._migrate(self._connection)
            self._reader = self._connection if self._file is None else self._connected()
            self.trouble = ""
        except (OSError, sqlite3.Error) as error:
            self._fail(error)
            self._connection = None

    def _connected(self) -> sqlite3.Connection:
        place = ":memory:" if self._file is None else self._file
        made = sqlite3.connect(
            place, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
        )
        made.row_factory = sqlite3.Row
        # SQLite knows the small letters of ASCII alone.
        made.create_function("lowered", 1, str.lower, deterministic=True)
        return made

    def _migrate(self, connection: sqlite3.Connection) -> None:
        # Two servers may begin together: the first to lock it brings it up to date.
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(_MIGRATIONS):
                raise sqlite3.DatabaseError("it was written by a later version of the page")
            for script in _MIGRATIONS[version:]:
                for statement in filter(str.strip, script.split(";")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={len(_MIGRATIONS)}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _fail(self, error: Exception) -> None:
        place = "memory" if self._file is None else str(self._file)
        trouble = f"Runs are not saved in {place}: {error}. They stay on the page while it is open."
        if trouble != self.trouble:
            _log.warning("%s", trouble)
        self.trouble = trouble

    def _do(self, *statements: tuple[str, Sequence[Any]]) -> list[sqlite3.Row]:
        """All of the statements or none; the rows of the last. Raises sqlite3.Error."""
        with self._lock:
            if self._connection is None:
                self._open()
            connection = self._connection
            if connection is None:
                raise sqlite3.OperationalError(self.trouble)
            try:
                connection.execute("BEGIN IMMEDIATE")
                for statement, values in statements:
                    found = connection.execute(statement, values).fetchall()
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    self._fail(error)
                raise
            self.trouble = ""
            return found

    def _read(self, statement: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Rows, none where the store cannot be read; ``trouble`` says why."""
        with self._lock if self._file is None else self._reading:
            if self._reader is None:
                return []
            try:
                return self._reader.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                self._fail(error)
                return []

    def add(
        self,
        uid: str,
        row: Mapping[str, Any],
        pieces: Mapping[int, bytes],
        *,
        whole: bool = False,
        state: bytes | None = None,
    ) -> None:
        """Save what is new of a run: its row as it is now, and pieces; ``whole``: in the place of
        all that it had. Its ``state`` is kept until another comes, or it is over.

        Raises
        ------
        sqlite3.Error
            Nothing of it was saved; `trouble` says why.
        """
        held = {**row, "uid": uid, "beat": time.time()}
        names, marks = ", ".join(held), ", ".join("?" * len(held))
        fresh = ("status", "beat", "reached", "total", "figures", "facts")
        changed = ", ".join(f"{name} = excluded.{name}" for name in fresh)
        self._do(
            (
                f"INSERT INTO runs ({names}) VALUES ({marks}) "
                f"ON CONFLICT (uid) DO UPDATE SET {changed}",
                [*held.values()],
            ),
            *([("DELETE FROM pieces WHERE uid = ?", (uid,))] if whole else []),
            *(
                ("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", (uid, k, data))
                for k, data in pieces.items()
            ),
            *([_held(uid, state)] if state is not None else []),
            *([("DELETE FROM states WHERE uid = ?", (uid,))] if row["status"] != LIVE else []),
            *self._forgotten(row["owner"]),
        )

    def hold(self, uid: str, state: bytes) -> None:
        """Save the state of a run that goes on. Raises sqlite3.Error."""
        beat = "UPDATE runs SET beat = ? WHERE uid = ?"
        self._do(_held(uid, state), (beat, (time.time(), uid)))

    def state(self, uid: str) -> bytes | None:
        """The state that a run was in when it was last held."""
        rows = self._read("SELECT bytes FROM states WHERE uid = ?", (uid,))
        return rows[0]["bytes"] if rows else None

    def beat(self, uids: Sequence[str]) -> None:
        """Say that runs still go on. Raises sqlite3.Error."""
        marks = ", ".join("?" * len(uids))
        beat = f"UPDATE runs SET beat = ? WHERE uid IN ({marks})"
        self._do((beat, [time.time(), *uids]))

    def _forgotten(self, owner: str) -> list[tuple[str, Sequence[Any]]]:
        """In memory there is room for so many runs, and a tenth of them of one owner: the oldest
        go.
        """
        if self._most is None:
            return []
        order = "ORDER BY deleted, created DESC LIMIT -1 OFFSET"
        olds = (
            f"SELECT uid FROM runs WHERE owner = ?1 {order} {max(1, self._most // 10)}",
            f"SELECT uid FROM runs WHERE ?1 = ?1 {order} {self._most}",
        )
        return [
            (f"DELETE FROM {table} WHERE uid IN ({old})", (owner,))
            for old in olds
            for table in _OF_RUNS
        ]

    def find(self, owner: str, text: str = "", limit: int = 50, offset: int = 0) -> list[Any]:
        """Rows of saved runs, pinned ones first and then the latest, whose name, data, solver or
        note hold every word of ``text``.
        """
        words = [word.lower() for word in text.split()[:10]]
        told = "lowered(name || ' ' || title || ' ' || solver || ' ' || note || ' ' || status)"
        fits = " AND ".join(f"instr({told}, ?)" for _ in words)
        where = f"owner = ? AND deleted = 0 {'AND ' + fits if fits else ''}"
        rows = self._read(
            f"SELECT {_LISTED} FROM runs WHERE {where} ORDER BY pinned DESC, created DESC "
            "LIMIT ? OFFSET ?",
            [owner, *words, limit, offset],
        )
        return [dict(row) | {"status": _status(row)} for row in rows]

    def count(self, owner: str) -> int:
        """How many runs are saved."""
        rows = self._read("SELECT COUNT(*) FROM runs WHERE owner = ? AND deleted = 0", (owner,))
        return int(rows[0][0]) if rows else 0

    def facts(self, owner: str, uid: str) -> dict[str, Any] | None:
        """The facts of a run with its row; None where there is none of that owner."""
        rows = self._read(
            f"SELECT {_LISTED}, facts FROM runs WHERE uid = ? AND owner = ?", (uid, owner)
        )
        if not rows:
            return None
        row = dict(rows[0])
        return {**json.loads(row.pop("facts")), **row, "status": _status(rows[0])}

    def pieces(self, uid: str) -> list[bytes]:
        """The pieces of a run, in order."""
        rows = self._read("SELECT bytes FROM pieces WHERE uid = ? ORDER BY k", (uid,))
        return [row["bytes"] for row in rows]

    def change(self, owner: str, uid: str, name: str, value: Any) -> None:
        """Change the ``note``, ``pinned`` or ``deleted`` of a run.

        Raises
        ------
        sqlite3.Error
            It could not be changed.
        """
        assert name in ("note", "pinned", "deleted")
        self._do((f"UPDATE runs SET {name} = ? WHERE uid = ? AND owner = ?", (value, uid, owner)))

    def remove(self, uid: str) -> None:
        """Remove a run for good. Raises sqlite3.Error."""
        self._do(*((f"DELETE FROM {table} WHERE uid = ?", (uid,)) for table in _OF_RUNS))

    def sweep(self) -> None:
        """Remove for good what was deleted."""
        gone = "SELECT uid FROM runs WHERE deleted = 1"
        self._do(*((f"DELETE FROM {table} WHERE uid IN ({gone})", ()) for table in _OF_RUNS))

    def keep_page(self, token: str, owner: str, document: Mapping[str, Any]) -> None:
        """Save what a page shows, so that it can be shown again. Raises sqlite3.Error."""
        held = json.dumps(document)
        old = f"SELECT token FROM pages ORDER BY updated DESC LIMIT -1 OFFSET {_MOST_PAGES}"
        self._do(
            ("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)", (token, owner, time.time(), held)),
            (f"DELETE FROM pages WHERE token IN ({old})", ()),
        )

    def page(self, token: str, owner: str) -> dict[str, Any] | None:
        """What a page showed; None where that is not known."""
        rows = self._read(
            "SELECT document FROM pages WHERE token = ? AND owner = ?", (token, owner)
        )
        return json.loads(rows[0]["document"]) if rows else None

    def close(self) -> None:
        """Close the store."""
        with self._lock, self._reading:
            for connection in {self._connection, self._reader} - {None}:
                connection.close()  # type: ignore[union-attr]
            self._connection = self._reader = None


def _status(row: sqlite3.Row) -> str:
    """A run that nobody has heard of for a while was interrupted."""
    silent = row["status"] == LIVE and time.time() - row["beat"] > _SILENT_SECONDS
    return INTERRUPTED if silent else str(row["status"])
