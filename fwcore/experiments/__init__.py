"""What is measured with the solvers: comparisons, races, recovery, and what papers printed."""

from fwcore.experiments import compare, metrics, papers, published, race, recovery

__all__ = ["compare", "metrics", "papers", "published", "race", "recovery"]
