"""Solvers of other libraries, run point by point: there are no steps of theirs to watch.

One file a library. Each has ``coefficients(X, y, lams, tolerance, start, offset)``, which solves

    min 1/2 ||(X - 1 offset') a - y||^2 + lam * sum abs(a)

for every lam, large to small, and returns (p, number of lams); X is an ndarray in Fortran order or
a scipy.sparse.csc_matrix, ``offset`` (p,) is given where a sparse X is centred, ``start`` (p,) is
where the first solution is looked for. The benchmark runs whole paths by it, `LibrarySolver` one
point at a time in a process of its own.
"""
