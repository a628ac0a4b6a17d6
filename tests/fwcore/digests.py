"""What every solver computes, as a digest a run, so that a change of structure can show that it
changed no bit.

``python tests/fwcore/digests.py`` compares with ``digests.json`` and names what differs;
``--record`` writes the record of this machine, of all solvers or of those that are named. What
differs from the last record is taken out of those of other machines, which have to be renewed
there. A digest is SHA-256 over the points table and the coefficients, seconds left out. It belongs
to a processor, to the vector instructions that it offers and to versions of packages, which each
record names: where there is none for this machine nothing is compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from fwcore.cache import numba_folder

# Kernels that are compiled without reordered sums must not be found by others, nor theirs here.
_folder = os.environ.get("NUMBA_CACHE_DIR", str(numba_folder())).removesuffix("-strict")
os.environ["NUMBA_CACHE_DIR"] = f"{_folder}-strict"
# Dot products of BLAS too are summed in an order of its own, which these two settle.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OPENBLAS_CORETYPE"] = "Haswell"

import numpy as np
import scipy.sparse
from llvmlite import binding

from fwcore import Problem, find_loss, find_solver, walk_path
from fwcore.design import Products
from fwcore.kernels.dispatch import FAST
from fwcore.path_result import versions

# With sums in the order in which they are written, no bit depends on what the compiler inlines.
FAST.clear()

RECORD = Path(__file__).with_name("digests.json")
STORAGES = ("dense", "csc", "products")
LOSSES = ("squared", "logistic")
SEEDS = (0, 1)

WALK = ({}, {"rule": "gap"}, {"rule": "gap", "tol": 1e-4}, {"tol": 1e-4}, {"max_steps": 3})
KINDS, RULES = (
    ("greedy-rows", "random-rows", "successive-halving", "successive-rejects"),
    ("stability", "error-bound", "budget", "doubling"),
)
ORACLES = (
    *({"oracle": kind, "oracle_rule": rule} for kind in KINDS for rule in RULES),
    *({"oracle": kind, "oracle_finalists": 4} for kind in KINDS),
    *({"oracle": kind, "oracle_rule": "budget", "oracle_by_size": False} for kind in KINDS[1:]),
    {"oracle": "greedy-rows", "oracle_stable": 2},
    {"oracle": "greedy-rows", "oracle_rule": "error-bound", "oracle_error": 0.5},
    {"oracle": "successive-halving", "oracle_budget": 0.6},
    {"oracle": "greedy-rows", "oracle_judge": 0},
)
PRINTED = {"bound": "printed"}
SAMPLING = tuple(
    {"sampling": rule} for rule in ("20%", "7", "top:0.9,0.2", "hit:0.9,5", "shrink:50%,10%")
)
STEPS = ("open-loop", "short", "line-search", "adaptive")
DIRECTIONS = ("toward", "away", "pairwise")
STEPPED = tuple({"step": step} for step in STEPS)
ROWS = (
    {"batch": "5"},
    {"start": "full-pass"},
    {"start": "zero"},
    {"confirm": False},
    {"rule": "moved"},
    {"tol": 1e-3},
)
SUMS = (
    *({"step": step, "direction": direction} for step, direction in product(STEPS, DIRECTIONS)),
    *ROWS,
)
MIRROR = (
    {},
    {"eta": 1e-3},
    {"rule": "gap", "eta": 1e-3, "check": 3},
    {"updates": 7},
    {"max_steps": 3},
)
BASE = {"max_steps": 200}

CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "sfw": (
        *SAMPLING, *({"sampling": "20%", **walk} for walk in WALK),
        *({"sampling": "20%", **step} for step in STEPPED), {"sampling": "20%", "ridge": 0.3},
        {"sampling": "20%", "draw": "with-replacement"},
        {"sampling": "20%", "draw": "blocks", "block": 4},
        {"sampling": "20%", "draw": "blocks", "block": 4, "ridge": 0.3},
        {"sampling": "20%", "redraw_until": 1}, {"sampling": "20%", "empty": "stop"},
        {"sampling": "3", "empty": "redraw", "redraw_until": 9},
        {"sampling": "20%", "rule": "gap", "certify": 0.9},
        {"sampling": "20%", "rule": "gap", "certify": 0.9, "overlooked": 5},
    ),
    "fw": (*WALK, *STEPPED, {"ridge": 0.3}, *ORACLES),
    "away_fw": (*WALK, *STEPPED, *SAMPLING, *ORACLES),
    "pairwise_fw": (*WALK, *STEPPED, *SAMPLING, *ORACLES),
    "corrective_fw": (*WALK[2:], {}, {"rule": "moved"}, {"threads": 2}),
    "sfw_rows": SUMS,
    "sfw_mokhtari": (*SUMS, {"momentum": "negiar"}),
    "sfw_lu_freund": ({}, *ROWS),
    "cd": (*WALK, {"l1_ratio": 0.5}),
    "scd": (*WALK, {"update": "exact"}, {"updates": 7}, {"rule": "gap", "check": 2}, PRINTED),
    "detcd": (*WALK, PRINTED),
    "active_set": (*WALK[2:], {}, {"rule": "moved"}, {"threads": 2}, {"l1_ratio": 0.5}),
    "certified": (
        *({"engine": engine, **walk} for engine in ("auto", "descent") for walk in WALK[2:]),
        {"rule": "moved"}, {"threads": 2}, {"l1_ratio": 0.5},
        {"l1_ratio": 0.5, "engine": "descent"},
    ),
    "certified_ball": (
        *({"engine": engine, **walk} for engine in ("auto", "descent") for walk in WALK[2:]),
        {"rule": "moved"}, {"threads": 2},
    ),
    "fista": (*WALK, {"l1_ratio": 0.5}, {"rule": "gap", "check": 3}, {"steps": "slep"}),
    "apg": (*WALK, {"rule": "gap", "check": 3}, {"steps": "slep"}),
    "omp": ({}, {"tol": 0.3}, *ORACLES),
    "mp": ({}, {"tol": 0.3}, *ORACLES[:8]),
    "cosamp": ({}, {"tol": 0.3}, {"turns": 2}, *ORACLES),
    "stoch_cosamp": ({}, {"tol": 0.3}, {"batch": "7"}, {"turns": 2}, {"oracle_judge": 0}),
    "smidas": (*MIRROR, {"exponent": 3.0, "eta": 1e-3}),
    "truncgrad": MIRROR,
    "lars": ({}, {"breakpoints": 3}),
    "sklearn": ({}, {"tol": 1e-6}),
    "celer": ({}, {"tol": 1e-6}),
    "skglm": ({}, {"tol": 1e-6}),
    "adelie": ({}, {"tol": 1e-6}),
}  # fmt: skip


def machine() -> dict[str, Any]:
    """What digests depend on besides the code; a virtual machine may hide instructions."""
    offered = sorted(name for name, there in binding.get_host_cpu_features().items() if there)
    features = hashlib.sha256(",".join(offered).encode()).hexdigest()[:8]
    return {"processor": binding.get_host_cpu_name(), "features": features, **versions()}


@cache
def problem(storage: str, loss: str) -> Problem:
    """A small problem: 24 x 40, or all products of up to 3 of 5 features."""
    random = np.random.default_rng(7)
    X = random.standard_normal((24, 5 if storage == "products" else 40))
    if storage == "csc":
        X *= random.random(X.shape) < 0.3
    y = 3.0 * X[:, 0] - 2.0 * X[:, 3] + X[:, 4] + 0.5 * random.standard_normal(len(X))
    y = y if loss == "squared" else np.where(y > 0.0, 1.0, -1.0)
    held: Any = (
        Products.of(X, 3)
        if storage == "products"
        else scipy.sparse.csc_array(X)
        if storage == "csc"
        else X
    )
    return Problem.from_arrays(held, y, loss=loss, test=(X[:6], y[:6]))


def grid(made: Problem, form: str) -> list[float]:
    """Four points of a path."""
    if form == "support":
        return [1.0, 2.0, 3.0, 5.0]
    ends = (0.1, 2.5) if form == "ball" else (0.7 * made.lam_max, 0.05 * made.lam_max)
    return np.geomspace(*ends, 4).tolist()


def digest(name: str, storage: str, loss: str, seed: int, options: dict[str, Any]) -> str:
    """SHA-256 of a run, its first 16 digits; the error where the options are refused."""
    made, solver = problem(storage, loss), find_solver(name)
    options = {k: v for k, v in BASE.items() if k in solver.Options.declared()} | options
    try:
        result = walk_path(made, name, grid(made, solver.form), seed=seed, **options)
    except ValueError as error:
        return type(error).__name__
    return result.digest()[:16]


def groups() -> Iterator[tuple[str, str, str]]:
    """(solver, storage, loss): what is compiled together; solvers that miss a package, or lack the
    loss, are left out.
    """
    for name, storage, loss in product(CASES, STORAGES, LOSSES):
        solver = find_solver(name)
        if (
            not solver.missing
            and not solver.lacks(find_loss(loss))
            and (solver.compiles or storage != "products")
        ):
            yield name, storage, loss


def digests_of(group: tuple[str, str, str]) -> dict[str, list[str]]:
    """Options, as text, -> a digest a seed."""
    name, storage, loss = group
    seeds = SEEDS if find_solver(name).compiles else SEEDS[:1]
    found: dict[str, list[str]] = {}
    for options in CASES[name]:
        text = "; ".join(f"{key}={value}" for key, value in options.items())
        found[text] = [digest(name, storage, loss, seed, options) for seed in seeds]
    return found


def differences(recorded: dict[str, Any], group: str, found: dict[str, list[str]]) -> list[str]:
    """The options of a group whose digests are not those of the record; new ones are in none."""
    known = recorded["digests"].get(group, {})
    return [text for text in known if found.get(text) != known[text]]


def as_text(records: list[dict[str, Any]]) -> str:
    """The records as JSON, the seeds of a case on one line."""
    text = json.dumps(records, indent=1)
    return re.sub(r'\[\n\s+("\w+"(?:,\n\s+"\w+")*)\n\s+\]', _on_one_line, text) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\s+", " ", found[1]) + "]"


def _same_processor(other: dict[str, Any]) -> bool:
    here = machine()
    return all(here[key] == other.get(key) for key in ("processor", "features"))


def main() -> int:
    """Compare or record; the number of differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the file")
    parser.add_argument("--solvers", nargs="*", choices=[*CASES], help="only these")
    arguments = parser.parse_args()
    records = json.loads(RECORD.read_text())
    here = next((record for record in records if record["machine"] == machine()), None)
    if here is None and not arguments.record:
        print(f"not recorded on this machine, which is {machine()}")
        return 0
    if here is None:
        # Another version on the same processor takes the place of the last.
        records = [record for record in records if not _same_processor(record["machine"])]
        records.append(here := {"machine": machine(), "digests": {}})
    chosen = [group for group in groups() if not arguments.solvers or group[0] in arguments.solvers]
    wrong, found = 0, {}
    with ProcessPoolExecutor(2) as pool:
        for group, digests in zip(chosen, pool.map(digests_of, chosen), strict=True):
            found[" ".join(group)] = digests
            different = differences(here, " ".join(group), digests)
            wrong += len(different)
            for record, text in product(records if arguments.record else (), different):
                record["digests"].get(" ".join(group), {}).pop(text, None)
            print(f"{' '.join(group)}: {len(digests)} cases, {len(different)} differ", flush=True)
            for line in [] if arguments.record else different:
                print(f"  {' '.join(group)}: {line}", flush=True)
    if arguments.record:
        here["digests"] = found if not arguments.solvers else here["digests"] | found
        RECORD.write_text(as_text(records))
        print(f"recorded {sum(map(len, found.values()))} cases")
        return 0
    print(f"{wrong} of {sum(map(len, found.values()))} cases differ")
    return wrong


if __name__ == "__main__":
    sys.exit(min(1, main()))
