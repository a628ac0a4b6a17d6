"""Whom this server serves: its owner, or the public, for whom everything is bounded."""

from __future__ import annotations

import os
import sys

from fwcore import ParameterError, datasets

MOST_RUNS_KEPT = 200
"""Runs that a public server keeps in memory, of all pages."""
_MEGABYTE = 1 << 20
_PUBLIC_UPLOAD = datasets.Limits(
    bytes=32 * _MEGABYTE,
    rows=200_000,
    columns=500_000,
    entries=10_000_000,
    memory=128 * _MEGABYTE,
)
_PUBLIC_MADE = 50_000_000
_PUBLIC_RUNS = 12
_PUBLIC_REPEATS = 3
_PUBLIC_WALKING = 120
_PUBLIC_STEPS = 1_000_000, 15_000_000
"""Steps that are kept, of 120 bytes each: of a page, and of all."""
_PUBLIC_PAGES = 500
_MOST_BROUGHT = 4
_MOST_BROUGHT_IN_ALL = 40


def public() -> bool:
    """Whether it was started with FWCORE_PUBLIC=1, or ``panel serve app --args --public``."""
    return os.environ.get("FWCORE_PUBLIC") == "1" or "--public" in sys.argv


def upload_limits() -> datasets.Limits:
    """Bounds of a file that is brought to a page."""
    return _PUBLIC_UPLOAD if public() else datasets.UPLOAD


def most_runs(usual: int) -> int:
    """Runs of one page."""
    return min(usual, _PUBLIC_RUNS) if public() else usual


def catalogue() -> tuple[datasets.Entry, ...]:
    """The datasets that are offered: for the public, none that takes gigabytes."""
    most = _PUBLIC_MADE if public() else sys.maxsize
    return tuple(e for e in datasets.all_datasets() if dict(e.generator).get("nonzeros", 0) <= most)


def checked(entry: datasets.Entry) -> datasets.Entry:
    """Data that are made; not too many for the public.

    Raises
    ------
    ParameterError
        They have too many entries.
    """
    most = _PUBLIC_UPLOAD.entries
    if public() and entry.rows * entry.columns > most:
        rule = f"at most {most:,} over the rows on this server"
        raise ParameterError("columns", "the generator", rule, entry.columns)
    return entry


def most_brought() -> int:
    """Files of one page."""
    return _MOST_BROUGHT


def most_brought_in_all() -> int:
    """Files of all pages."""
    return _MOST_BROUGHT_IN_ALL if public() else sys.maxsize


def most_repeats(usual: int) -> int:
    """Repeats of one run."""
    return min(usual, _PUBLIC_REPEATS) if public() else usual


def most_walking() -> int:
    """Runs of all pages that walk at once."""
    return _PUBLIC_WALKING if public() else sys.maxsize


def most_pages() -> int:
    """Pages that are open at once."""
    return _PUBLIC_PAGES if public() else sys.maxsize


def most_steps() -> tuple[int, int]:
    """Steps that are kept of the runs of a page, and of all pages."""
    return _PUBLIC_STEPS if public() else (sys.maxsize, sys.maxsize)


def most_products(columns: int) -> int:
    """Columns that products of features may make of a file; its owner decides on his own server."""
    return _PUBLIC_UPLOAD.columns if public() else columns


def bounds() -> str:
    """The bounds, as the page says them; nothing where the server is its owner's."""
    if not public():
        return ""
    limits = upload_limits()
    return (
        f"A public server: at most {_PUBLIC_RUNS} runs a page with {_PUBLIC_REPEATS} repeats and "
        f"{_PUBLIC_STEPS[0]:,} steps, and {_MOST_BROUGHT} files of up to "
        f"{limits.bytes // _MEGABYTE} MB, {limits.rows:,} rows, {limits.columns:,} columns, "
        f"{limits.entries:,} entries and {limits.memory // _MEGABYTE} MB once read. "
        f"All {_PUBLIC_PAGES} pages: {_PUBLIC_WALKING} runs at once, {_PUBLIC_STEPS[1]:,} steps, "
        f"{_MOST_BROUGHT_IN_ALL} files, {MOST_RUNS_KEPT} saved runs. "
        "Nothing is kept on disk; runs are forgotten when the server stops."
    )
