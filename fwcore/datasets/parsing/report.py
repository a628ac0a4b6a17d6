"""What a parser returns: the matrix, the response, and an account of what was done to get them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats

MISSING = ("refuse", "drop", "mean")
CATEGORICAL = ("refuse", "one-hot", "drop")
TASKS = ("auto", "regression", "classification")


@dataclass(frozen=True)
class ParseOptions:
    """How to read a file; what a format does not know it leaves alone. ``labels``: the response,
    where it is not in the file.

    >>> ParseOptions(target="price", missing="mean").missing
    'mean'
    """

    target: Annotated[
        str | None,
        "The column that is the response, the last by default; of MATLAB and .npz, the variable.",
    ] = None
    matrix: Annotated[
        str | None,
        "Of MATLAB and .npz, the variable that is the design; by default the one that fits.",
    ] = None
    task: Annotated[
        str,
        "auto, regression or classification; auto: two classes where the response is text or "
        "has two values that are labels.",
    ] = "auto"
    positive: Annotated[
        str | None,
        "The class that is +1, or several divided by commas, all others -1; by default the "
        "second of two, sorted.",
    ] = None
    missing: Annotated[str, "Refuse missing values, drop their rows, or put the mean."] = "refuse"
    categorical: Annotated[str, "Refuse columns of text, one-hot, or drop."] = "refuse"
    columns: Annotated[
        int | None, "Of sparse text, the number of columns, where the last ones may be empty."
    ] = None
    labels: Any = field(default=None, compare=False)
    header: Annotated[
        bool | None, "Whether the first line names columns; by default, where it holds no number."
    ] = None
    delimiter: Annotated[str | None, "One character; found by looking if not given."] = None
    decimal: Annotated[str | None, ". or , and found by looking if not given."] = None

    def __post_init__(self) -> None:
        allowed = {
            "task": TASKS,
            "missing": MISSING,
            "categorical": CATEGORICAL,
            "decimal": (None, ".", ","),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ParameterError(name, "the parser", f"one of {[*values]}", getattr(self, name))
        if self.positive is not None and self.task == "regression":
            raise ParameterError(
                "positive",
                "the parser",
                "left out of a regression, which has no classes",
                self.positive,
            )
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ParameterError("delimiter", "the parser", "one character", self.delimiter)


@dataclass(frozen=True)
class Report:
    """What was read.

    ``rows``, ``columns`` and ``nonzeros`` of the matrix; ``constant``: columns without variation,
    which a dataset drops; ``missing`` values found, and what became of them: ``dropped_rows``,
    ``imputed`` values; ``encoded``: text columns and their categories; ``dropped_columns`` of text;
    ``target`` and ``task``; ``classes``: what became of the labels; ``warnings``.

    >>> from fwcore.datasets import parse_upload
    >>> report = parse_upload("rooms.csv", b"rooms,price\\n2,10\\n3,12").report
    >>> report.rows, report.target, report.task
    (2, 'price', 'regression')
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
        return ", ".join(str(v) for v in value[:20]) + (
            f" and {len(value) - 20} more" if len(value) > 20 else ""
        )
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Parsed:
    """``X`` (m, p), ndarray with contiguous columns or scipy sparse in compressed columns; ``y``
    (m,); ``names`` of the columns.

    >>> from fwcore.datasets import parse_upload
    >>> parsed = parse_upload("rooms.csv", b"rooms,price\\n2,10\\n3,12")
    >>> parsed.X.shape, list(parsed.names)
    ((2, 1), ['rooms'])
    """

    X: Any
    y: Floats
    names: Sequence[str]
    report: Report
