"""What is counted without a solver: shapes of data, sizes of samples, kappa / n."""

from __future__ import annotations

from typing import Any

from fwcore import datasets, sampling
from fwcore.experiments.published.declared import Experiment, Method
from fwcore.experiments.published.kinds.base import Kind, Measured, Stopped


class Shapes(Kind):
    """A method is a dataset (``solver``): rows to learn from, test rows and columns, as they are
    loaded, and kappa / n of Négiar et al. (eq. 34) of its features as they are read.
    """

    name = "shapes"
    figures = ("rows", "test rows", "columns", "kappa / n")

    def data(self, experiment: Experiment, method: Method) -> str:
        return method.solver

    def wants(self, experiment: Experiment) -> tuple[Any, ...]:
        return tuple(experiment.figures)

    def prepare(self, experiment: Experiment) -> None:
        return None

    def measure(
        self, context: Any, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        read = datasets.read(method.solver)
        train, test = read.split(0, method.options.get("test_fraction"))
        found = {"rows": float(train.rows), "columns": float(read.columns)}
        if test is not None:
            found["test rows"] = float(test.rows)
        if "kappa / n" in experiment.figures:
            found["kappa / n"] = datasets.kappa_share(read.X)
        return Measured(found)


class Samples(Kind):
    """A method is a number of columns (``solver``): what rules of sampling make of it."""

    name = "samples"
    figures = ("1 %", "2 %", "3 %")

    def prepare(self, experiment: Experiment) -> None:
        return None

    def measure(
        self, context: Any, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        columns = int(method.solver)
        return Measured(
            {f"{k} %": float(sampling.parse(f"{k}%").kappa(columns)) for k in (1, 2, 3)}
        )
