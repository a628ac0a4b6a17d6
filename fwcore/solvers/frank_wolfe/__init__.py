"""Frank-Wolfe on the l1 ball, on all columns or sampled ones."""
