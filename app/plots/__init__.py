"""Pictures of results: functions that take results and return HoloViews objects, for the page and
for notebooks.
"""

from app.plots.race import race_curves

__all__ = ["race_curves"]
