"""The largest entry of a vector that changes a few entries at a time, in O(log) an entry and without a look at the rest.

A tournament tree over blocks of neighbouring entries: node k holds the larger of nodes 2k and 2k + 1, the leaves the largest
abs(v_j) of a block, which is a line of memory, and node 1 the largest of all. Most changes end where they begin: an entry that
neither was nor becomes the largest of its block touches no node.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import Floats

SHIFT = 3
"""Entry j is in block j >> SHIFT."""

_BLOCK = 1 << SHIFT


def new_tree(p: int) -> Floats:
    """The tree of p zeros."""
    blocks = (p + _BLOCK - 1) >> SHIFT
    return np.zeros(2 * (1 << (blocks - 1).bit_length()))


@njit(nogil=True, cache=True)
def _largest_of(v, block):  # type: ignore[no-untyped-def]
    largest = 0.0
    for j in range(block << SHIFT, min(v.size, (block + 1) << SHIFT)):
        largest = max(largest, abs(v[j]))
    return largest


@njit(nogil=True, cache=True)
def changed(tree, v, j, old):  # type: ignore[no-untyped-def]
    """Tell the tree that v_j, which was ``old``, is now what ``v`` (p,) holds.

    Who tells of many entries looks at the leaf first, tree[(tree.size >> 1) + (j >> SHIFT)]: the call costs more than most changes.
    """
    k = (tree.size >> 1) + (j >> SHIFT)
    new, largest = abs(v[j]), tree[k]
    if new <= largest and abs(old) < largest:
        return
    largest = new if new >= largest else _largest_of(v, j >> SHIFT)
    while tree[k] != largest:
        tree[k] = largest
        if k == 1:
            return
        largest = max(largest, tree[k ^ 1])
        k >>= 1


@njit(nogil=True, cache=True)
def rebuild(tree, v):  # type: ignore[no-untyped-def]
    """Make the tree anew, in O(p)."""
    leaves = tree.size >> 1
    for block in range(leaves):
        tree[leaves + block] = _largest_of(v, block)
    for k in range(leaves - 1, 0, -1):
        tree[k] = max(tree[2 * k], tree[2 * k + 1])


@njit(nogil=True, cache=True)
def champion(tree, v):  # type: ignore[no-untyped-def]
    """The first j of the largest abs(v_j)."""
    leaves, k = tree.size >> 1, 1
    while k < leaves:
        k = 2 * k if tree[2 * k] == tree[1] else 2 * k + 1
    first = (k - leaves) << SHIFT
    for j in range(first, min(v.size, first + _BLOCK)):
        if abs(v[j]) == tree[1]:
            return j
    return first
