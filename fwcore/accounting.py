"""How cost is counted, the same for all methods.

``dots`` are column dot products: x_j'v for one column, whatever the storage. ``entries`` are matrix entries touched, the stored
entries of each column or row that was looked at, as Shalev-Shwartz & Tewari (2009) count. ``grads`` are derivatives of single
samples, as Negiar et al. (2020) count; only methods that sample rows fill them. Seconds are CPU seconds in kernels, compilation and
judging excluded.

======================= ================================================================================================
every method of columns p dots for X'y at the start of a path
fw, away_fw, pairwise   p dots a step; sfw: kappa a step, and the active columns where a draw was in vain
cd                      a dot for every coordinate that a cycle visits, p for a pass over all columns; where covariance updates
                        pay, a dot for every product of two columns and every slope they begin with, and none for their visits
scd                     a dot an update; p more where the gap is looked at
detcd                   p dots a step
fista, apg              p dots a gradient, and a dot for every non-zero coefficient of each product X a (backtracking included);
                        p more where the gap is looked at
smidas, truncgrad       a grad and the stored entries of a row an update, and no X'y; where the gap is looked at, p dots and one for
                        every non-zero coefficient; a search for eta is charged as the passes that it is
omp                     p dots a column; of the logistic loss also a dot for every column of the support, twice its entries, for
                        each product of conjugate gradients, as in cosamp
cosamp, stoch_cosamp    p dots an iteration (or the batch's entries), and the same for the fit on 3 k columns
an oracle on rows       the entries that it touches, and a dot for the slope of its answer (none in omp), in the place of p dots
sfw_rows, sfw_mokhtari, b grads and the stored entries of b rows a step, and no X'y; a gap that is confirmed, or a start from the
sfw_lu_freund           gradient, is a pass: a grad for every sample and all stored entries
corrective_fw,          p dots a full pass, a dot for every column that is looked at one by one, and one for every entry of the
active_set              Gram matrix of the working set
======================= ================================================================================================

What a line search computes along its segment, from what a step has looked at already, is not counted. A projection, a
soft-thresholding or the search of a largest entry costs no dot product. The judge's passes are charged to nobody.
"""
