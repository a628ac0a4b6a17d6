"""Frank-Wolfe on sampled rows (Negiar et al. 2020 and what it is compared with)."""
