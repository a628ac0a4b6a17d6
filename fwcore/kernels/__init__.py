"""Small compiled things that families of solvers share."""
