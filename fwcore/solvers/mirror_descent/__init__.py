"""Truncated stochastic mirror descent (Shalev-Shwartz & Tewari 2009)."""
