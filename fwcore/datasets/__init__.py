"""Problems to solve: a catalogue, and what it takes to load an entry."""

from fwcore.datasets.catalogue import DATASETS, Dataset, available, find, load

__all__ = ["DATASETS", "Dataset", "available", "find", "load"]
