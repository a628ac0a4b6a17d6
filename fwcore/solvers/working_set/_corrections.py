"""The Lasso on a small working set of columns, by Newton steps on faces of the l1 ball.

The iterate is a convex combination of the vertices of one face: columns with signs. The minimiser
on the affine hull of the face solves one linear system; the iterate moves there until a coefficient
vanishes, whose column then leaves, and where none does, the steepest column of the working set
joins. This is fully corrective Frank-Wolfe with Wolfe's (1976) corrections (Lacoste-Julien & Jaggi
2015, Algorithm 4), and for a fixed face the active-set step of Osborne, Presnell & Turlach (2000).

    min_a 1/2 a'G a - b'a    subject to sum abs(a) <= value    (ball)
    min_a 1/2 a'G a - b'a + value * sum abs(a)                 (penalty)

The (ridge / 2) ||a||^2 of an elastic net is added to G where it is used, and a >= 0 is kept by
letting no column join with the other sign.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.steepness import steepness
from fwcore.solvers.working_set._factor import dependent, drop, extend, extend_by_all
from fwcore.solvers.working_set._slopes import slopes, slopes_of_many
from fwcore.solvers.working_set._triangle import AT_HAND, multiply_coef, solve, solve_back

# What is foreseen to be left of one is to be clear of that by so much.
_CLEAR = 4.0
# Columns that change their signs leave together where that lowers the objective by so much of what
# the step to the minimiser would.
_WORTH = 0.1
# A minimiser that has to be scaled by more than rounding is none.
_OFF = 1e-12


# Kernels that call none, and never raise, count no references of the arrays of a face.
@njit(nogil=True, cache=True, fastmath=FAST, error_model="numpy")
def _aim(face, value, ball):
    """The minimiser on the affine hull of the face, into ``work[0]``; sets the multiplier, and
    frees a constraint that pushes.
    """
    it, aim, b, sign = face.face[0], face.work[0], face.halfway[0], face.halfway[1]
    n, along, square = it.active, 0.0, 0.0
    if not ball:
        it.level = value
    elif it.tight:
        # sign'G^-1 b and sign'G^-1 sign.
        for i in range(n):
            along += b[i] * sign[i]
            square += sign[i] * sign[i]
        it.level = (along - value) / square
    if ball and not (it.tight and it.level >= 0.0):
        it.tight, it.level = False, 0.0
    for i in range(n):
        aim[i] = b[i] - it.level * sign[i]
    solve_back(face, aim)


@njit(nogil=True, inline="always")
def _leave_together(face, leaving):
    """Whether the objective falls if all coefficients go to ``work[0]``, but for those ``leaving``
    there, which go to zero. By a step c to the minimiser it falls by c'G c / 2, and from there to d
    away it grows by d'G d / 2.
    """
    it, aim, halfway, growth, square = face.face[0], face.work[0], face.halfway, 0.0, 0.0
    for i in leaving:
        row = face.gram[face.order[i]]
        growth += it.ridge * aim[i] * aim[i]
        for k in leaving:
            growth += aim[i] * aim[k] * row[face.order[k]]
    for i in range(it.active):
        change = halfway[0, i] - it.level * halfway[1, i] - halfway[2, i]
        square += change * change
    return growth < (1.0 - _WORTH) * square


@njit(nogil=True, cache=True, fastmath=FAST)
def _walk_to_aim(face, value, ball, leaving):
    """Move toward ``work[0]`` as far as signs and ball allow; return (largest change, whether the
    aim was reached, how many columns are to leave), whose places on the face go into ``leaving``.
    """
    it, aim = face.face[0], face.work[0]
    step, first, norm, growth, moved, n = 1.0, -1, 0.0, 0.0, 0.0, 0
    for i in range(it.active):
        w = face.order[i]
        size, change = face.sign[w] * face.coef[w], face.sign[w] * (aim[i] - face.coef[w])
        norm, growth = norm + size, growth + change
        if size + change < 0.0:
            leaving[n] = i
            n += 1
        if size + step * change < 0.0:
            step, first = size / -change, i
    hits = ball and not it.tight and growth > 0.0 and norm + step * growth > value
    if hits:
        step, n, it.tight = max(0.0, (value - norm) / growth), 0, True
    elif n > 1 and not ball and _leave_together(face, leaving[:n]):
        step = 1.0
    elif n > 0:
        leaving[0], n = first, 1
    b, signs, product = face.halfway[0], face.halfway[1], face.halfway[2]
    for i in range(it.active):
        w = face.order[i]
        change = step * (aim[i] - face.coef[w])
        face.coef[w] += change
        product[i] += step * (b[i] - it.level * signs[i] - product[i])
        moved = max(moved, abs(change))
    return moved, n == 0 and not hits, n


@njit(nogil=True, cache=True, fastmath=FAST)
def _shrink_into(face, value):
    """Scale the coefficients into the ball if they lie outside; return (the largest change, the
    share by which they were too large).
    """
    norm, largest = 0.0, 0.0
    for i in range(face.face[0].active):
        size = abs(face.coef[face.order[i]])
        norm, largest = norm + size, max(largest, size)
    if norm <= value:
        return 0.0, 0.0
    for i in range(face.face[0].active):
        face.coef[face.order[i]] *= value / norm
        face.halfway[2, i] *= value / norm
    return (1.0 - value / norm) * largest, 1.0 - value / norm


@njit(nogil=True, cache=True, fastmath=FAST)
def _frees(face, k, w):
    """Whether column ``w``, whose shares are in ``work[0]``, is independent of a face without its
    k-th column: what is its own then is its share of what is that column's own.
    """
    unit = face.work[1]
    for i in range(face.face[0].active):
        unit[i] = 1.0 if i == k else 0.0
    solve(face, unit)
    own = face.work[0][k] * face.work[0][k] / unit[k]
    return own > _CLEAR * dependent(face.factor) * face.gram[w, w]


@njit(nogil=True, cache=True, fastmath=FAST)
def _exchange(face, w):
    """Let column ``w``, which depends on the others, take the place of one of them, where the fit
    stays as it is; whether it did.

    With x_w = sum_i n_i x_i over the face, a_w grows by t and a_i falls by t n_i. As w is steeper
    than the face, sum abs(a) falls, or hardly grows where x_w depends on the others but for a small
    part. Where it would double, w is steeper by rounding error only, and stays away; and where w
    would still depend on the others without the column whose place it takes.
    """
    it, share, sign = face.face[0], face.work[0], -np.sign(face.gradient[w])
    n = it.active
    for i in range(n):
        share[i] = sign * face.gram[w, face.order[i]]
    solve(face, share)
    t, leaves, norm, growth = np.inf, -1, 0.0, 1.0
    for i in range(n):
        k = face.order[i]
        norm += abs(face.coef[k])
        growth -= face.sign[k] * share[i]
        if face.sign[k] * share[i] > 0.0 and face.coef[k] / share[i] < t:
            t, leaves = face.coef[k] / share[i], i
    if leaves < 0 or t * growth > norm or not _frees(face, leaves, w):
        return False
    for i in range(n):
        face.coef[face.order[i]] -= t * share[i]
    it.tight = False
    drop(face, np.full(1, leaves))
    face.sign[w] = sign
    joined = extend(face, np.full(1, w)) == 1
    if joined:
        face.coef[w] = sign * t
    multiply_coef(face)
    return joined


@njit(nogil=True, cache=True, fastmath=FAST)
def _join_steepest(face, slack, most):
    """Let the steepest column of the working set join, and others that rise above the face by more
    than ``slack``, at most ``most`` in all: (the steepest, -1 where none rises so much, how many
    did).
    """
    it = face.face[0]
    many = it.size > AT_HAND
    best, steepest = slopes_of_many(face) if many else slopes(face)
    least = it.level + slack
    if face.sign[best] != 0.0 or steepest <= least:
        it.steepest = max(steepest, it.level)
        return -1, 0
    joining, n = np.empty(most, np.int64), 1
    joining[0] = best
    for k in range(it.size):
        above = face.sign[k] == 0.0 and steepness(face.gradient[k], it.positive) > least
        if above and k != best and n < most:
            joining[n] = k
            n += 1
    for k in joining[:n]:
        face.sign[k] = -np.sign(face.gradient[k])
    return best, extend_by_all(face, joining[:n])


@njit(nogil=True, inline="always")
def _signs_change(face):
    """Whether several coefficients have other signs at ``work[0]``, on a face whose factor costs
    much to change.
    """
    n, changed = face.face[0].active, 0
    if n <= AT_HAND:
        return False
    for i in range(n):
        changed += int(face.sign[face.order[i]] * face.work[0][i] < 0.0)
    return changed > 1


@njit(nogil=True, cache=True, fastmath=FAST)
def _join_at_aim(face, slack):
    """Let columns join that are steep at ``work[0]``; how many did. Those that are to leave do so
    later, together with new ones that are in the way: many cost the factor hardly more than a few.
    """
    n = face.face[0].active
    for i in range(n):
        w = face.order[i]
        face.work[1][i], face.coef[w] = face.coef[w], face.work[0][i]
    _, joined = _join_steepest(face, slack, _most(face))
    for i in range(n):
        face.coef[face.order[i]] = face.work[1][i]
    face.face[0].steepest = np.inf
    return joined


@njit(nogil=True, inline="always")
def _most(face):
    """How many columns join a face at once, at most."""
    return 1 + face.face[0].active // 8


@njit(nogil=True, cache=True, fastmath=FAST)
def correct(face, value, ball, slack, most):
    """Minimise on the working set until its steepest column exceeds the level of the face by at
    most ``slack``.

    At most ``most`` times columns join the face, and a large one once more before any leave it,
    several at a time where that went well: one that then moves against its slope leaves again at
    once. Returns the largest change of a coefficient.
    """
    moved = _shrink_into(face, value)[0] if ball else 0.0
    alone, reached, leaving = False, False, np.empty(face.order.size, np.int64)
    face.face[0].steepest = np.inf
    _aim(face, value, ball)
    if not ball and _signs_change(face) and _join_at_aim(face, slack) > 0:
        _aim(face, value, ball)
    for turn in range(most + 1):
        progress = 0.0
        # Every turn but the last makes the face smaller or tightens the ball; should rounding undo
        # that, enough is enough.
        for _ in range(2 * face.face[0].active + 2):
            change, reached, n = _walk_to_aim(face, value, ball, leaving)
            progress = max(progress, change)
            if n > 0:
                drop(face, leaving[:n])
            if reached:
                break
            _aim(face, value, ball)
        moved = max(moved, progress)
        # Where columns that joined together only got into each other's way, the next joins alone,
        # which never fails.
        alone = turn > 0 and progress == 0.0
        if turn == most or face.face[0].size == 0:
            break
        best, joined = _join_steepest(face, slack, 1 if alone else _most(face))
        if best < 0 or (joined == 0 and not _exchange(face, best)):
            break
        _aim(face, value, ball)
    # Where columns nearly depend on each other, rounding has led out of the ball.
    off = _shrink_into(face, value)[1] if ball else 0.0
    if not reached or off > _OFF:
        face.face[0].steepest = np.inf
    return moved
