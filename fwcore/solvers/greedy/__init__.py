"""Matching pursuits: the support form."""
