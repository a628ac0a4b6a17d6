"""Accelerated projected gradient for the ball form (Beck & Teboulle 2009; Duchi et al. 2008; Condat
2016).
"""

from __future__ import annotations

from fwcore.solvers.proximal._accelerated import ProximalSolver


class AcceleratedProjection(ProximalSolver):
    """min f(a) subject to sum abs(a) <= delta by gradient steps from an extrapolated point,
    projected on the ball.

    As `Fista` with the projection in the place of soft-thresholding; it takes O(p)
    (`fwcore.kernels.projection`) and no dot product.
    """

    name = "apg"
    title = "Accelerated projected gradient"
    reference = "Beck & Teboulle 2009; Duchi et al. 2008; Condat 2016 (SLEP's constrained form)"
    form = "ball"
