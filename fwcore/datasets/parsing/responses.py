"""From the target column to the response: numbers as they are, two classes as -1 and +1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fwcore.datasets.parsing.limits import refuse
from fwcore.datasets.parsing.report import ParseOptions
from fwcore.kernels.types import Floats

# Numbers that are labels: any two of one set in a column without others.
_LABELS = ({0.0, 1.0}, {-1.0, 1.0}, {1.0, 2.0})
_SHOWN = 20


class Response(NamedTuple):
    """``classes``: what each label became; empty for a regression."""

    y: Floats
    task: str
    classes: dict[str, int]


def response(
    name: str, values: Any, labels: Sequence[str] | None, options: ParseOptions
) -> Response:
    """The response from ``values`` (m,): numbers, or codes of ``labels``; NaN and -1 are not
    allowed any more.

    Raises
    ------
    DatasetError
        Infinite values; more than two classes and none chosen as positive, one class only, or no
        such class.
    """
    values = np.asarray(values)
    if labels is None:
        y = values.astype(np.float64)
        if not np.isfinite(y).all():
            refuse(name, "the response has values that are not finite.")
        found = np.unique(y)
        numeric = options.task == "regression" or (
            options.task == "auto"
            and options.positive is None
            and not any(set(found.tolist()) == pair for pair in _LABELS)
        )
        if numeric:
            return Response(y, "regression", {})
        labels = [str(int(value)) if value == int(value) else repr(float(value)) for value in found]
        values = np.searchsorted(found, y)
    elif options.task == "regression":
        refuse(name, f"the response is text, such as {labels[0]!r}; a regression needs numbers.")
    return _classes(name, values, [str(label) for label in labels], options)


def _classes(name: str, codes: Any, labels: Sequence[str], options: ParseOptions) -> Response:
    # Labels come in their order, by which 2 is before 10.
    present = [labels[code] for code in np.unique(codes)]
    shown = ", ".join(present[:_SHOWN]) + (
        f" and {len(present) - _SHOWN} more" if len(present) > _SHOWN else ""
    )
    if len(present) < 2:
        refuse(name, f"the response has one class only: {shown}.")
    if options.positive is None and len(present) > 2:
        refuse(
            name,
            f"the response has {len(present)} classes: {shown}. Choose the one that is to be "
            "+1 against the rest (positive).",
        )
    # "1" and "+1" are one label.
    bare = {label.removeprefix("+") for label in present}
    wanted = [present[-1] if options.positive is None else options.positive]
    if wanted[0].removeprefix("+") not in bare:
        # A class may have a comma in its name.
        wanted = [part.strip() for part in wanted[0].split(",")]
    if unknown := [part for part in wanted if part.removeprefix("+") not in bare]:
        refuse(name, f"the response has no class {unknown[0]!r}, but {shown}.")
    positive = {
        label
        for label in present
        if label.removeprefix("+") in {part.removeprefix("+") for part in wanted}
    }
    if len(positive) == len(present):
        refuse(name, f"all of its classes are to be +1: {shown}. Leave one of them out.")
    signs = np.array([1.0 if label in positive else -1.0 for label in labels])
    classes = {label: 1 if label in positive else -1 for label in present[:_SHOWN]}
    return Response(signs[codes], "classification", classes)
