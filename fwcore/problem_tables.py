"""A problem as it shows itself: in a notebook, as a table, as a picture."""

from __future__ import annotations

from typing import Any, ClassVar

from fwcore.display import problem_html
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.plotting import drawn

_MOST = 50_000_000
_RESPONSE = "response"


class ProblemTables:
    """The part of `fwcore.problem.Problem` that shows it."""

    pictures: ClassVar[str] = "problem"
    _repr_html_ = problem_html

    def __repr__(self: Any) -> str:
        return f"Problem({self.name!r}, {self.m:,} x {self.p:,}, {self.loss.text})"

    def plot(self, kind: str = "response", **given: Any) -> Any:
        """A picture of the "response" or of the "correlations" X'y, as of `PathResult.plot`."""
        return drawn(self, kind, given)

    def to_dataframe(self: Any) -> Any:
        """The training rows as a pandas data frame: a column each feature, centred and scaled as
        solvers see it, and "response" last, in the units given.

        Raises
        ------
        ParameterError
            It has more than 50 million entries.
        """
        import pandas

        frame = pandas.DataFrame(_matrix(self), columns=list(self.feature_names))
        frame.insert(self.p, _RESPONSE, self.given, allow_duplicates=True)
        return frame

    def to_xarray(self: Any) -> Any:
        """That table as an xarray dataset: ``design`` over row and feature, ``response`` over row;
        where xarray is installed.
        """
        import xarray

        held = {"design": (("row", "feature"), _matrix(self)), _RESPONSE: ("row", self.given)}
        return xarray.Dataset(held, {"feature": list(self.feature_names)}, {"name": self.name})


def _matrix(problem: Any) -> Floats:
    if problem.m * problem.p > _MOST:
        rule = f"of at most {_MOST:,} entries where it is made a table"
        raise ParameterError("problem", "Problem", rule, problem.m * problem.p)
    matrix: Floats = problem.design.matrix()
    return matrix
