"""The largest entry of a vector that changes a few entries at a time, in O(log) an entry and
without a look at the rest.

A tournament tree over blocks of neighbouring entries: node k holds the larger of nodes 2k and 2k +
1, the leaves the largest abs(v_j) of a block, which is a line of memory, and node 1 the largest of
all. Most changes end where they begin: an entry that neither was nor becomes the largest of its
block touches no node.

Vectors that decay by a factor that all entries share would have to be multiplied by it, in O(p),
before it underflows. Here each block has an age instead: how often the vector had decayed by `FADE`
when one of its entries last changed. A block is multiplied by what it missed when it next changes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.types import Floats

SHIFT = 3
"""Entry j is in block j >> SHIFT."""

FADE = 2.0**-333
"""A power of 2, so that fading rounds nothing."""

_MOST_FADES = 7.0
"""From the largest float64 to nothing."""

_BLOCK = 1 << SHIFT


def new_tree(p: int) -> Floats:
    """The tree of p zeros, of shape (nodes, 2): the largest size below each node, and the age of
    the block that it is in.
    """
    blocks = (p + _BLOCK - 1) >> SHIFT
    return np.zeros((2 * (1 << (blocks - 1).bit_length()), 2))


@njit(nogil=True, cache=True)
def faded(value, rescalings):
    """A value times `FADE` to the power of ``rescalings``, which itself may be too small to be
    held.
    """
    for _ in range(min(rescalings, _MOST_FADES)):
        value *= FADE
    return value


@njit(nogil=True, cache=True)
def age_of(tree, j):
    """The age of the block of entry j."""
    return tree[(tree.shape[0] >> 1) + (j >> SHIFT), 1]


@njit(nogil=True, inline="always")
def _larger(size, age, other, age_of_other):
    """Whether a size of some age counts more than another."""
    if age != age_of_other:
        if age > age_of_other:
            other = faded(other, age - age_of_other)
        else:
            size = faded(size, age_of_other - age)
    return size > other


@njit(nogil=True, inline="always")
def _heavier_child(tree, k):
    left = 2 * k
    return left + _larger(tree[left + 1, 0], tree[left + 1, 1], tree[left, 0], tree[left, 1])


@njit(nogil=True, cache=True)
def _largest_of(v, block):
    largest = 0.0
    for j in range(block << SHIFT, min(v.size, (block + 1) << SHIFT)):
        largest = max(largest, abs(v[j]))
    return largest


@njit(nogil=True, cache=True)
def renew(tree, v, j, age):
    """Let the block of entry j have decayed as often as ``age`` says; before one of its entries
    changes.
    """
    k = (tree.shape[0] >> 1) + (j >> SHIFT)
    missed, first = age - tree[k, 1], (j >> SHIFT) << SHIFT
    for i in range(first, min(v.size, first + _BLOCK)):
        v[i] = faded(v[i], missed)
    tree[k, 0] = faded(tree[k, 0], missed)
    tree[k, 1] = age


@njit(nogil=True, cache=True)
def changed(tree, v, j, old):
    """Tell the tree that v_j, which was ``old``, is now what ``v`` (p,) holds.

    A caller with many changes compares with the leaf tree[nodes / 2 + (j >> SHIFT)] first, since a
    call costs more than most changes.
    """
    k = (tree.shape[0] >> 1) + (j >> SHIFT)
    new, largest, age = abs(v[j]), tree[k, 0], tree[k, 1]
    if new <= largest and abs(old) < largest:
        return
    largest = new if new >= largest else _largest_of(v, j >> SHIFT)
    while tree[k, 0] != largest or tree[k, 1] != age:
        tree[k, 0], tree[k, 1] = largest, age
        if k == 1:
            return
        other, age_of_other = tree[k ^ 1, 0], tree[k ^ 1, 1]
        if _larger(other, age_of_other, largest, age):
            largest, age = other, age_of_other
        k >>= 1


@njit(nogil=True, cache=True)
def rebuild(tree, v):
    """Make the tree again, in O(p); blocks keep their ages."""
    leaves = tree.shape[0] >> 1
    for block in range(leaves):
        tree[leaves + block, 0] = _largest_of(v, block)
    for k in range(leaves - 1, 0, -1):
        best = _heavier_child(tree, k)
        tree[k, 0], tree[k, 1] = tree[best, 0], tree[best, 1]


@njit(nogil=True, cache=True)
def argmax_abs(tree, v):
    """The first j of the largest abs(v_j)."""
    leaves, k = tree.shape[0] >> 1, 1
    while k < leaves:
        k = _heavier_child(tree, k)
    first = (k - leaves) << SHIFT
    for j in range(first, min(v.size, first + _BLOCK)):
        if abs(v[j]) == tree[k, 0]:
            return j
    return first
