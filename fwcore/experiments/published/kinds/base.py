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

    def data(self, experiment: Experiment, method: Method) -> str:
        """The dataset that a method reads; empty where it reads none."""
        return experiment.dataset

    def absent(self, experiment: Experiment, method: Method) -> str:
        """The dataset of a method, where its files are not at hand."""
        name = self.data(experiment, method)
        return "" if not name or datasets.available(datasets.find(name)) else name

    def wants(self, experiment: Experiment) -> tuple[Any, ...]:
        """What a measurement depends on besides the values and the method."""
        return ()

    def beside(self, experiment: Experiment) -> tuple[str, ...]:
        """Methods that others are compared with, whatever an exhibit shows."""
        return ()

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
        """A figure that compares methods, by method, from the medians of the others; its least and
        greatest are not told.
        """
        return {}
