"""Certified paths on a working set of columns."""
