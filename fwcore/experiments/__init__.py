"""What is measured with the solvers: comparisons, races, recovery, and what papers printed."""

from fwcore.experiments import compare, metrics, published, race, recovery, sequences

__all__ = ["compare", "metrics", "published", "race", "recovery", "sequences"]
