import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from fwcore.steps import exact_line_search


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 7.0]), st.booleans())
def test_the_step_is_the_numeric_minimiser_on_the_segment(seed, radius, at_zero):
    random = np.random.default_rng(seed)
    Z, y = random.standard_normal((12, 6)), random.standard_normal(12)
    a = np.zeros(6) if at_zero else random.dirichlet(np.ones(6)) * random.choice([-1, 1], 6) * radius
    image = Z @ a
    i = int(random.integers(6))
    gradient = Z[:, i] @ (image - y)
    vertex = -radius * np.sign(gradient)

    def f(step):
        return 0.5 * np.sum(((1 - step) * image + step * vertex * Z[:, i] - y) ** 2)

    step = exact_line_search(image @ image, y @ image, gradient, Z[:, i] @ image, Z[:, i] @ Z[:, i], vertex)
    numeric = minimize_scalar(f, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert 0.0 <= step <= 1.0
    assert f(step) <= min(f(0.0), f(1.0), numeric.fun) + 1e-12 * (1 + f(0.0))


def test_no_step_where_the_vertex_does_not_descend():
    assert exact_line_search(1.0, 2.0, 0.5, 0.1, 1.0, 1.0) == 0.0


def test_no_step_where_the_vertex_is_the_iterate():
    assert exact_line_search(4.0, 1.0, 1.0, 2.0, 1.0, 2.0) == 0.0
