"""What a parser returns: the matrix, the response, and an account of what was done to get them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fwcore.design import Floats
from fwcore.errors import ParameterError

MISSING = ("refuse", "drop", "mean")
CATEGORICAL = ("refuse", "one-hot", "drop")
TASKS = ("auto", "regression", "classification")


@dataclass(frozen=True)
class ParseOptions:
    """How to read a file; what a format does not know it leaves alone.

    Attributes
    ----------
    target : str, optional
        Column that is the response; by default the last. Of MATLAB and .npz files, the variable.
    matrix : str, optional
        Of MATLAB and .npz files, the variable that is the design; by default the one matrix that fits.
    task : "auto", "regression" or "classification"
        ``auto``: two classes where the response is text or has two values that are labels (0/1, -1/+1, 1/2), else numbers.
    positive : str, optional
        The class that becomes +1, all others -1; by default the second of two in sorted order.
    missing : "refuse", "drop" or "mean"
        What to do with missing values: drop their rows, or put the mean; rows without a response go unless they are refused.
    categorical : "refuse", "one-hot" or "drop"
        What to do with columns of text.
    columns : int, optional
        Of sparse text, the number of columns where the last ones may be empty.
    labels : array of shape (m,), optional
        The response itself, where it is not in the file.
    header : bool, optional
        Whether the first line of a delimited file names the columns; by default it does unless it holds a number.
    delimiter : str, optional
    decimal : "." or ","
        By default found by looking.
    """

    target: str | None = None
    matrix: str | None = None
    task: str = "auto"
    positive: str | None = None
    missing: str = "refuse"
    categorical: str = "refuse"
    columns: int | None = None
    labels: Any = field(default=None, compare=False)
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        allowed = {"task": TASKS, "missing": MISSING, "categorical": CATEGORICAL, "decimal": (None, ".", ",")}
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ParameterError(name, "the parser", f"one of {[*values]}", getattr(self, name))
        if self.positive is not None and self.task == "regression":
            raise ParameterError("positive", "the parser", "left out of a regression, which has no classes", self.positive)
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ParameterError("delimiter", "the parser", "one character", self.delimiter)


@dataclass(frozen=True)
class Report:
    """What was read.

    ``rows``, ``columns`` and ``nonzeros`` of the matrix; ``constant``: columns without variation, which a dataset drops;
    ``missing`` values found, and what became of them: ``dropped_rows``, ``imputed`` values; ``encoded``: text columns and their
    categories; ``dropped_columns`` of text; ``target`` and ``task``; ``classes``: what became of the labels; ``warnings``.
    """

    name: str
    format: str
    rows: int
    columns: int
    nonzeros: int
    constant: int = 0
    missing: int = 0
    dropped_rows: int = 0
    imputed: int = 0
    encoded: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dropped_columns: tuple[str, ...] = ()
    target: str = ""
    task: str = "regression"
    classes: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def with_warning(self, text: str) -> Report:
        """The same with one more."""
        return replace(self, warnings=(*self.warnings, text))

    def lines(self) -> list[tuple[str, str]]:
        """What there is to say, as (label, text)."""
        said = []
        for name, value in asdict(self).items():
            if value not in (0, "", (), {}) or name in ("rows", "columns"):
                said.append((name.replace("_", " "), _text(value)))
        return said


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{k}: {_text(v)}" for k, v in value.items())
    if isinstance(value, (tuple, list)):
        return ", ".join(str(v) for v in value[:20]) + (f" and {len(value) - 20} more" if len(value) > 20 else "")
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Parsed:
    """``X`` (m, p), ndarray with contiguous columns or scipy sparse in compressed columns; ``y`` (m,); ``names`` of the columns."""

    X: Any
    y: Floats
    names: Sequence[str]
    report: Report
