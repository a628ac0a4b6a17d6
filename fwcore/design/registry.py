"""The table of storages, and what each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from fwcore.design.csc import Csc
from fwcore.design.dense import Dense
from fwcore.design.pattern import Pattern
from fwcore.design.products import Products
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats


class Storage(Protocol):
    """A NamedTuple of arrays with ``offset`` and ``scale`` (p,), with compiled primitives.

    A new storage is a file with such a class and implementations of `fwcore.design.primitives`, and
    a name in `STORAGES`. `by_rows` may raise TypeError where methods on rows are not wanted.
    """

    offset: Floats
    scale: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        ...

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the values."""
        ...

    @property
    def entries(self) -> int:
        """Entries that a full pass touches."""
        ...

    @property
    def layout(self) -> tuple[Any, ...]:
        """What kernels are compiled for besides the class."""
        ...

    @property
    def base_features(self) -> int:
        """Columns of the matrix that it was made of."""
        ...

    def column_names(self, names: Sequence[str]) -> Sequence[str]:
        """Names of the columns, from those of the base features."""
        ...

    def like(self, X: Floats) -> Any:
        """Another design of the same layout, from a small dense ``X``."""
        ...

    def with_rows(self, X: Any) -> Any:
        """The same columns, offsets and scales for other rows ``X`` of base features."""
        ...

    def cuts(self, parts: int) -> list[int]:
        """0 ... p in as many ranges of columns, whose passes take about as long."""
        ...

    def without(self, constant: NDArray[Any]) -> Any:
        """The design without its ``constant`` columns, whose scale is 0."""
        ...

    def permuted(self, columns: NDArray[Any]) -> Any:
        """A copy with the columns in another order."""
        ...

    def matrix(self) -> Floats:
        """The design as solvers see it, as an array of shape (m, p) in Fortran order."""
        ...

    def exported(self) -> tuple[Any, Floats | None]:
        """(X, offset) as other libraries take it: only a sparse X has an offset left."""
        ...

    def by_rows(self) -> Any:
        """The rows, for methods that look at one sample after the other."""
        ...

    @classmethod
    def opened(cls, arrays: dict[str, Any]) -> Any | None:
        """The design of the arrays of a folder; None where they are not one of this storage."""
        ...


STORAGES: list[Any] = [Products, Pattern, Csc, Dense]
"""In the order in which a folder is asked what it holds."""


def is_design(X: Any) -> bool:
    """Whether X is a stored design, as opposed to a matrix."""
    return isinstance(X, tuple(STORAGES))


def register_storage(storage: Any) -> None:
    """Add a storage to this process.

    Raises
    ------
    ParameterError
        It is there already.
    """
    if storage in STORAGES:
        known = [known.__name__ for known in STORAGES]
        raise ParameterError("storage", "fwcore.design", f"none of {known}", storage.__name__)
    STORAGES.insert(0, storage)


def unregister_storage(storage: Any) -> None:
    """Take back what `register_storage` added."""
    STORAGES.remove(storage)
