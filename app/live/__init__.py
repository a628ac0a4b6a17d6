"""Pictures of a run in flight. A new one is a file here and a name in LIVE."""

from app.live.active import ActiveFeatures
from app.live.error import PredictionError
from app.live.gap import Gaps
from app.live.hits import Hits
from app.live.paths import CoefficientPaths
from app.live.race import Race

LIVE = (Race, Gaps, CoefficientPaths, PredictionError, ActiveFeatures, Hits)

__all__ = ["LIVE", "ActiveFeatures", "CoefficientPaths", "Gaps", "Hits", "PredictionError", "Race"]
