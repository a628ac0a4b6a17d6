"""What a kind of experiment is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fwcore import datasets
from fwcore.experiments.published.declared import Experiment, Method

Stopped = Callable[[], bool]


@dataclass(frozen=True)
class Measured:
    """Of one method and seed: figures by name, and curves for the pictures, by the name of their
    columns, all of one length.
    """

    numbers: Mapping[str, float]
    curves: Mapping[str, list[float]] = field(default_factory=dict)


class Kind(ABC):
    """One way to measure; stateless.

    Attributes
    ----------
    name : str
        As experiments name it.
    figures : tuple of str
        What it can tell of a method.
    """

    name: ClassVar[str]
    figures: ClassVar[tuple[str, ...]]

    def data(self, experiment: Experiment) -> list[str]:
        """The datasets that it reads."""
        return [experiment.dataset] if experiment.dataset else []

    def absent(self, experiment: Experiment) -> list[str]:
        """Those of the `data` whose files are not at hand."""
        return [n for n in self.data(experiment) if not datasets.available(datasets.find(n))]

    @abstractmethod
    def prepare(self, experiment: Experiment) -> Any:
        """What all methods share, such as the problem.

        Raises
        ------
        DatasetError
            Files are absent.
        """

    @abstractmethod
    def measure(
        self, context: Any, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        """Run a method with a seed; None where it was stopped."""

    def derived(
        self, experiment: Experiment, figure: str, medians: Mapping[str, Mapping[str, float]]
    ) -> Mapping[str, float]:
        """A figure that compares methods, by method, from the medians of the others."""
        return {}
