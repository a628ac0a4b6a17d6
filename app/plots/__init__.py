"""Pictures of results: functions that take results and return HoloViews objects, for the page and
for notebooks.
"""

from app.plots.paths import CURVES, PLOTS, plot
from app.plots.race import race_curves

__all__ = ["CURVES", "PLOTS", "plot", "race_curves"]
