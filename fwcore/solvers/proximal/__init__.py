"""Accelerated proximal gradient."""
