"""Recovery of true supports, and the classification of texts: the figures and Table II of
Rakotomamonjy et al. (2016).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fwcore import datasets
from fwcore.experiments.published.declared import Experiment, Method
from fwcore.experiments.published.kinds.base import Kind, Measured, Stopped
from fwcore.experiments.recovery import K_GRID, Attempt, Trial, attempt, classify
from fwcore.experiments.sequences import halving_bound, sequences
from fwcore.experiments.solver_spec import SolverSpec

_SLACK = 1.001


@dataclass
class _Trials:
    """The trial that was drawn last, as they are large, and the errors of exact answers."""

    key: tuple[Any, ...] = ()
    trial: Trial | None = None
    exact: dict[tuple[Any, ...], float] = field(default_factory=dict)


class Recoveries(Kind):
    """Methods look for the true columns of random problems. ``rows``, ``columns``, ``relevant`` and
    ``snr_db`` say which; ``sweep``, a table of a name and values, varies one of them, or an option
    of all methods, and makes the curves. Numbers are those at the value ``at``, and under names
    such as "F-measure at 30" those at others. ``exact``: the method whose residual, times 1.001, is
    enough for the others.
    """

    name = "recovery"
    figures = ("F-measure", "error", "right answers", "entries", "seconds")

    def wants(self, experiment: Experiment) -> tuple[Any, ...]:
        exact = experiment.given.get("exact")
        return tuple(dict(m.options) for m in experiment.methods if m.name == exact)

    def prepare(self, experiment: Experiment) -> _Trials:
        return _Trials()

    def measure(
        self, context: _Trials, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        given = experiment.given
        sweep = given.get("sweep", {"name": "", "values": [0]})
        found: dict[Any, Attempt] = {}
        for value in sweep["values"]:
            if stopped():
                return None
            found[value] = self._attempt(context, experiment, method, seed, sweep["name"], value)
        at = given.get("at", sweep["values"][-1])
        curves = {
            sweep["name"] or "trial": [float(value) for value in found],
            **{name: [of[name] for of in map(_told, found.values())] for name in self.figures},
        }
        numbers = _told(found[at])
        for value, of in found.items():
            numbers |= {f"{name} at {value:g}": told for name, told in _told(of).items()}
        return Measured(numbers, curves)

    def _attempt(
        self, context: _Trials, experiment: Experiment, method: Method, seed: int, name: str, v: Any
    ) -> Attempt:
        given = experiment.given
        sizes = {key: given[key] for key in ("rows", "columns", "relevant", "snr_db")}
        options: dict[str, Any] = {}
        if name in sizes:
            sizes[name] = v
        elif name in method.options or (name == "oracle_budget" and "oracle" in method.options):
            options[name] = v
        key = (*sizes.values(), seed)
        if context.key != key:
            context.key, context.trial = key, Trial.drawn(**sizes, seed=seed)
        assert context.trial is not None
        exact = given.get("exact")
        if exact and method.name != exact:
            if key not in context.exact:
                reference = next(m for m in experiment.methods if m.name == exact)
                spec = SolverSpec.of(reference.solver, reference.options)
                context.exact[key] = attempt(context.trial, spec, seed=seed).error
            options["tol"] = min(1.0, _SLACK * context.exact[key])
        steps = given.get("steps")
        return attempt(
            context.trial,
            SolverSpec.of(method.solver, {**method.options, **options}),
            steps=steps,
            seed=seed,
        )


def _told(found: Attempt) -> dict[str, float]:
    return {
        "F-measure": found.f_measure,
        "error": found.error,
        "right answers": found.hits,
        "entries": found.entries,
        "seconds": found.seconds,
    }


class RightSequences(Kind):
    """Methods whose oracle is judged in each step, on ``trials`` random problems a seed of the
    sizes of `Recoveries`: the measured P(B(K)) beside what bounds it; see
    `fwcore.experiments.sequences`. ``proven``: methods of which the bound of successive halving is
    told, for the first problem.
    """

    name = "sequences"
    figures = (
        *("P(B(K)), measured", "product of the steps", "union bound"),
        *("right answers", "right columns", "proven of halving", "passes for 95 %"),
    )

    def prepare(self, experiment: Experiment) -> None:
        return None

    def measure(
        self, context: None, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        given = experiment.given
        sizes = {key: given[key] for key in ("rows", "columns", "relevant", "snr_db")}
        trials, steps = given["trials"], given.get("steps")
        first, spec = seed * trials, SolverSpec.of(method.solver, method.options)
        found = sequences(spec, **sizes, trials=trials, steps=steps, seed=first, stopped=stopped)
        if found is None:
            return None
        numbers = {
            "P(B(K)), measured": float(found.sequence[-1]),
            "product of the steps": float(found.product[-1]),
            "union bound": float(max(0.0, found.union[-1])),
            "right answers": float(found.right.mean()),
            "right columns": found.hits,
        }
        if method.name in given.get("proven", ()):
            trial, exact = Trial.drawn(**sizes, seed=first), SolverSpec.of(method.solver, {})
            bound = halving_bound(trial, exact, float(method.options["oracle_budget"]))
            numbers |= {"proven of halving": bound.least, "passes for 95 %": bound.passes}
        curves = {
            "step": np.arange(1.0, found.right.size + 1.0).tolist(),
            "P(B(K)), measured": found.sequence.tolist(),
            "product of the steps": found.product.tolist(),
            "right answers": found.right.tolist(),
        }
        return Measured(numbers, curves)


class Texts(Kind):
    """Accuracy on the test rows of a text, the size k of the support chosen from ``ks`` on half of
    the others. The option ``iterations`` of a method, such as "3k", says how many it makes.
    """

    name = "texts"
    figures = ("accuracy, %", "seconds", "k", "right answers")

    def prepare(self, experiment: Experiment) -> Any:
        return datasets.read(experiment.dataset)

    def measure(
        self, context: Any, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        if stopped():
            return None
        ks, options = experiment.given.get("ks", K_GRID), dict(method.options)
        times = int(options.pop("iterations", "1k").removesuffix("k"))
        spec = SolverSpec.of(method.solver, options)
        (found,) = classify(context, [spec], splits=1, ks=ks, iterations=times, seed=seed)
        numbers = {
            "accuracy, %": found.accuracy,
            "seconds": found.seconds,
            "k": found.k,
            "right answers": found.hits,
        }
        return Measured(numbers)
