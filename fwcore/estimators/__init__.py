"""scikit-learn estimators over the solvers, whose answers are certified: `dual_gap_` is computed by
the judge over all columns, whatever solver was chosen.
"""

from fwcore.estimators.certificate import Certificate, certify
from fwcore.estimators.cv import FWElasticNetCV, FWHuberCV, FWLassoCV, FWLogisticCV
from fwcore.estimators.linear import FWElasticNet, FWLasso
from fwcore.estimators.paths import lasso_path
from fwcore.estimators.smooth import FWHuber, FWLogistic

__all__ = [
    "Certificate",
    "FWElasticNet",
    "FWElasticNetCV",
    "FWHuber",
    "FWHuberCV",
    "FWLasso",
    "FWLassoCV",
    "FWLogistic",
    "FWLogisticCV",
    "certify",
    "lasso_path",
]
