"""Results side by side: by name, as rows of figures, and as data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from fwcore.display import results_html, rows_html
from fwcore.path_result import PathResult
from fwcore.plotting import drawn
from fwcore.result_files import combined


class PathResults(dict[str, PathResult]):
    """Paths by the names of their runs.

    >>> from fwcore import PathResults, datasets, walk_path
    >>> problem = datasets.load("diabetes")
    >>> results = PathResults(
    ...     {name: walk_path(problem, name) for name in ("sfw", "corrective_fw")}
    ... )
    >>> results
    PathResults('sfw', 'corrective_fw')
    >>> results.to_dataframe().loc["sfw"].shape[0]
    100
    """

    pictures: ClassVar[str] = "paths"

    def __repr__(self) -> str:
        return f"PathResults({', '.join(map(repr, self))})"

    def plot(self, kind: str = "race", **given: Any) -> Any:
        """A picture of all of them; the kinds are those of `PathResult.plot`."""
        return drawn(self, kind, given)

    def to_dataframe(self) -> Any:
        """The points of all as one pandas data frame, indexed by run and place on its path."""
        frames = {name: result.to_dataframe().reset_index() for name, result in self.items()}
        return combined(frames, "run", "place")

    def to_xarray(self) -> Any:
        """That frame as an xarray dataset over run and place, where xarray is installed."""
        return self.to_dataframe().to_xarray()

    def _repr_html_(self) -> str:
        return results_html(self)


class Told(Protocol):
    """One row of a table."""

    def told(self) -> dict[str, Any]:
        """Figures and words by their headings."""
        ...


Row = TypeVar("Row", bound=Told)


class Figures(list[Row], ABC, Generic[Row]):
    """A row of figures for each solver, which shows itself in a notebook as a table."""

    pictures: ClassVar[str]

    def plot(self, kind: str = "race", **given: Any) -> Any:
        """A picture of all rows, by what is installed for that: with the page, HoloViews.

        Raises
        ------
        ParameterError
            Nothing is installed that draws, or there is no such kind.
        """
        return drawn(self, kind, given)

    @abstractmethod
    def to_dataframe(self) -> Any:
        """All figures as a pandas data frame."""

    def to_xarray(self) -> Any:
        """That frame as an xarray dataset, where xarray is installed."""
        return self.to_dataframe().to_xarray()

    def _cells(self, row: Row) -> dict[str, Any]:
        """What a line of the table holds."""
        return row.told()

    def _repr_html_(self) -> str:
        return rows_html([self._cells(row) for row in self])
