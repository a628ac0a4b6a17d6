"""Pictures of results: functions that take results and return HoloViews objects, for the page and
for notebooks.
"""

from app.plots.drawing import FAMILIES, plot
from app.plots.paths import CURVES
from app.plots.race import race_curves
from app.plots.screen import screen

__all__ = ["CURVES", "FAMILIES", "plot", "race_curves", "screen"]
