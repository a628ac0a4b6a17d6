"""Vowpal Wabbit text: ``label [importance] [tag]|namespace feature:value ... |namespace ...`` a
row.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import numpy as np

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.sparse import SparseRows
from fwcore.datasets.parsing.streams import Source, line_chunks

_CHUNK = 1 << 20


class _Columns(dict[tuple[str, str], int]):
    """Places of the features by namespace and name, in the order of their first occurrence."""

    def place(self, space: str, feature: str) -> int:
        return self.setdefault((space, feature), len(self))

    def numbers(self) -> Any:
        """The features as numbers, if all are numbers of one namespace; else None."""
        one = len({space for space, _ in self}) == 1
        if not one or not all(
            feature.isascii() and feature.isdigit() and len(feature) < 16 for _, feature in self
        ):
            return None
        return np.array([int(feature) for _, feature in self])

    def names(self) -> list[str]:
        return [f"{space}^{feature}" if space else feature for space, feature in self]


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """Features by name, a column each in the order of their first occurrence; features that are
    numbers keep their place.

    Raises
    ------
    DatasetError
        A line without a label or of another form, or a limit.
    """
    columns, weighted = _Columns(), False
    rows = SparseRows(source.name, "Vowpal Wabbit", limits)
    for chunk in line_chunks(source, limits, _CHUNK):
        counts, labels, indices, values = array("q"), array("d"), array("q"), array("d")
        for line in chunk.decode("utf-8", "replace").split("\n"):
            if line.strip():
                before = len(indices)
                weighted |= _line(source.name, line, columns, labels, indices, values)
                counts.append(len(indices) - before)
                limits.check(source.name, "columns", len(columns))
        rows.add(np.array(counts), np.array(indices), np.array(values), np.array(labels))
    numbers = columns.numbers()
    parsed = rows.parsed(options, columns.names() if numbers is None else None, numbers)
    return (
        replace(parsed, report=parsed.report.with_warning("Importance weights were left aside."))
        if weighted
        else parsed
    )


def _line(name: str, line: str, columns: _Columns, labels: Any, indices: Any, values: Any) -> bool:
    """Take a row apart; whether it has an importance weight other than 1."""
    head, *spaces = line.split("|")
    words = head.split()
    try:
        labels.append(float(words[0]))
        # A word that touches the bar is a tag, whatever it looks like; so is one that begins with a
        # quote.
        tagged = len(words) > 1 and (not head[-1].isspace() or words[-1][0] == "'")
        weights = words[1 : len(words) - tagged]
        weighted = any(float(word) != 1.0 for word in weights)
    except (IndexError, ValueError):
        refuse(name, f"a row without a label, `label |features`: {line[:60]!r}.")
    for space in spaces:
        features = space.split()
        # A name follows the bar at once; its own weight, after a colon, scales nothing here.
        prefix = features.pop(0).partition(":")[0] if features and not space[0].isspace() else ""
        for feature in features:
            text, _, number = feature.partition(":")
            try:
                values.append(float(number) if number else 1.0)
            except ValueError:
                refuse(name, f"a feature whose value is not a number: {feature[:60]!r}.")
            indices.append(columns.place(prefix, text))
    return weighted
