"""One coordinate at a time, in the penalty form."""
