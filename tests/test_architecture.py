"""Who may import whom, and what is public."""

import ast
from pathlib import Path

import pytest

import fwcore

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "fwcore").rglob("*.py"), *(ROOT / "app").rglob("*.py")])

LEAVES = {
    "fwcore.design",
    "fwcore.dispatch",
    "fwcore.losses",
    "fwcore.steps",
    "fwcore.sampling",
    "fwcore.stream",
    "fwcore.errors",
    "fwcore.status",
    "fwcore.trace",
}
LEAVES_OF_APP = {"app.scheduler", "app.theme", "app.heartbeat", "app.document"}


def module_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path):
    """Every module or name that a file imports, dotted."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_follow_the_layers(path):
    module, found = module_of(path), imports(path)
    tops = {name.partition(".")[0] for name in found}
    if module.startswith("fwcore"):
        assert not tops & {"app", "panel", "panel_material_ui", "holoviews", "bokeh"}
        if module in LEAVES:
            assert not {n for n in found if n.startswith("fwcore.")} - {n for n in found if n.startswith(tuple(LEAVES))}
        if module.startswith("fwcore.oracles"):
            assert not {n for n in found if n.startswith(("fwcore.solvers", "fwcore.solve", "fwcore.path", "fwcore.problem"))}
        if module.startswith("fwcore.solvers"):
            assert not {n for n in found if n.startswith(("fwcore.path", "fwcore.cli", "fwcore.grids", "fwcore.warmup"))}
            assert "fwcore.solve" not in found
        return
    assert not {n for n in found if n.startswith("fwcore.")} - {f"fwcore.{name}" for name in fwcore.__all__}
    if module in LEAVES_OF_APP:
        assert not {n for n in found if n.startswith("app")}
    if module.startswith("app.live"):
        assert not {n for n in found if n.startswith(("app.scheduler", "app.explorer", "app.controls", "app.board"))}
        pictures = {"app.live.paths", "app.live.error", "app.live.active", "app.live.gap", "app.live.hits"}
        assert module not in pictures or not {n for n in found if n.startswith(tuple(pictures - {module}))}
    if module.startswith("app.plots"):
        assert {n for n in found if n.startswith("app.")} <= {n for n in found if n.startswith(("app.theme", "app.plots"))}
    if module.startswith("app.controls"):
        assert not {n for n in found if n.startswith(("app.explorer", "app.live", "app.runs", "app.board", "app.scheduler"))}
    if module in ("app.settings", "app.runs"):
        assert not tops & {"panel", "bokeh", "panel_material_ui", "holoviews"}


def test_what_fwcore_exports():
    assert fwcore.__all__ == sorted(
        fwcore.__all__, key=lambda name: (name != name.upper() or not name.isupper(), name[0].islower(), name)
    )
    assert all(hasattr(fwcore, name) for name in fwcore.__all__)
    assert set(fwcore.__all__) == {
        "FORMS", "SOLVERS", "TRACE", "DatasetError", "Options", "ParameterError", "PathResult", "Problem", "SamplingRule",
        "Snapshot",
        "Solver", "Status", "Verdict", "Walk", "WalkOptions", "datasets", "find", "grids", "race", "register", "rule_of",
        "sampling", "solvers", "study", "unregister", "walk_path", "warmup",
    }  # fmt: skip


def test_main_is_short_and_modules_are_small():
    assert len((ROOT / "app" / "main.py").read_text().splitlines()) <= 25
    long = {module_of(path): n for path in SOURCES if (n := len(path.read_text().splitlines())) > 300}
    assert not long


def test_no_module_of_the_app_hides_another():
    import sys

    names = {path.stem for path in (ROOT / "app").iterdir() if path.stem != "__init__"}
    assert not names & set(sys.stdlib_module_names)
    assert not names & {"param", "panel", "bokeh", "numpy", "scipy", "numba", "holoviews"}
