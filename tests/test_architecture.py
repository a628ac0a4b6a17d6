"""Who may import whom, and what is public."""

import ast
from pathlib import Path

import pytest

import fwcore

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "fwcore").rglob("*.py"), *(ROOT / "app").rglob("*.py")])

LAYERS = (
    ("errors", "status", "forms", "trace", "cache", "display", "plotting", "progress"),
    ("kernels", "design", "losses", "step_rules", "sampling"),
    (
        "oracles",
        "option_kinds",
        "options",
        "arrays",
        "judging",
        "problem_tables",
        "problem",
        "theory",
    ),
    ("solvers",),
    ("solve",),
    ("grids", "warmup", "reproduce", "result_files", "path_result", "path_results", "path"),
    ("datasets", "experiments"),
    ("cli",),
)
"""Who may import whom: a module imports those of its own layer and of the layers above it."""

LEVEL = {f"fwcore.{name}": level for level, names in enumerate(LAYERS) for name in names}
LEAVES_OF_APP = {"app.scheduler", "app.theme", "app.downloads", "app.registry"}


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


def level_of(name):
    """The layer of a module; -1 of those that are in none."""
    return max((LEVEL[known] for known in LEVEL if f"{name}.".startswith(f"{known}.")), default=-1)


def family_of(name):
    """The family of solvers that a module is in, if any."""
    parts = name.split(".")
    folder = parts[:2] == ["fwcore", "solvers"] and len(parts) > 2
    return parts[2] if folder and (ROOT / "fwcore" / "solvers" / parts[2]).is_dir() else None


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_follow_the_layers(path):
    module, found = module_of(path), imports(path)
    tops = {name.partition(".")[0] for name in found}
    if module.startswith("fwcore"):
        assert not tops & {"app", "panel", "holoviews", "bokeh"}
        above = [n for n in found if level_of(n) > level_of(module) >= 0]
        assert not above
        if (family := family_of(module)) and not module.startswith("fwcore.solvers.external"):
            others = {family_of(name) for name in found} - {None, family}
            assert not others, f"{module} imports from {others}"
        return
    assert not {n for n in found if n.startswith("fwcore.")} - {
        f"fwcore.{name}" for name in fwcore.__all__
    }
    if module in LEAVES_OF_APP:
        assert not {n for n in found if n.startswith("app")}
    ours = {n for n in found if n.startswith("app.")}
    if module in PICTURES:
        assert {n.rpartition(".")[0] or n for n in ours} <= FOR_PICTURES | {"app", "app.live"}, ours
        assert not {n for n in found if n.startswith(tuple(PICTURES - {module}))}
    if module.startswith("app.live"):
        assert not {n for n in ours if n.startswith(("app.explorer", "app.controls", "app.feed"))}
    if module.startswith("app.plots"):
        assert ours <= {n for n in found if n.startswith(("app.theme", "app.plots"))}
    if module.startswith("app.controls"):
        known = tuple(f"app.{name}" for name in CONTROLS_KNOW)
        assert ours <= {n for n in ours if n.startswith(known)}
    if module not in SHOWS:
        assert not tops & {"panel", "bokeh", "holoviews"}, module


CONTROLS_KNOW = (
    "controls",
    "settings",
    "run_spec",
    "downloads",
    "shelf",
    "own_files",
    "server",
    "theme",
)
PICTURES = {
    module_of(path)
    for path in (ROOT / "app" / "live").glob("*.py")
    if "(Picture):" in path.read_text()
}
"""Pictures never import each other, the scheduler or the explorer."""
FOR_PICTURES = {
    "app.live.costs",
    "app.live.picture",
    "app.live.features",
    "app.live.thinning",
    "app.live.reference",
    "app.live.spread",
    "app.pace",
    "app.runs",
}
SHOWS = {"app.main", "app.explorer", "app.drain", "app.wire", "app.plots.race", "app.plots.paths"}
SHOWS |= {"app.plots.papers", "app.plots.problems", "app.plots.screen"}
SHOWS |= {"app.address", "app.entrance", "app.app_hooks", "app.cell", "app.report"}
"""The modules of the app that know Panel, Bokeh or HoloViews."""


def test_what_fwcore_exports():
    assert fwcore.__all__ == sorted(
        fwcore.__all__,
        key=lambda name: (name != name.upper() or not name.isupper(), name[0].islower(), name),
    )
    assert all(hasattr(fwcore, name) for name in fwcore.__all__)
    assert {name for name in dir(fwcore) if name in fwcore.__all__} == set(fwcore.__all__)
    with pytest.raises(AttributeError, match="no attribute 'find'"):
        _ = fwcore.find


def test_the_package_of_solvers_is_a_package():
    import fwcore.solvers.coordinate_descent.cd as module

    assert module.CoordinateDescent in {type(solver) for solver in fwcore.all_solvers()}


def test_what_the_page_exports():
    import app

    assert app.__all__ == ["Explorer", "extension"]
    assert app.extension.__module__ == "app.cell"
    assert app.Explorer.__module__ == "app.explorer"


def test_storages_are_known_in_one_package():
    """No other module asks what a design is stored as."""
    names = {"Dense", "Csc", "Products"}
    for path in SOURCES:
        if "design" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
            if called:
                asked = {
                    n.id if isinstance(n, ast.Name) else n.attr
                    for n in ast.walk(node.args[1])
                    if isinstance(n, (ast.Name, ast.Attribute))
                }
                assert not asked & names, f"{path}:{node.lineno}"


def test_main_is_short_and_modules_are_small():
    scripts = sorted((ROOT / "app" / "client").iterdir())
    lines = {path.name: path.read_text().splitlines() for path in scripts}
    assert {name for name, text in lines.items() if len(text) > 350} == set()
    kept = ("Makefile", "pyproject.toml")
    lines |= {name: (ROOT / name).read_text().splitlines() for name in kept}
    assert not [(n, line) for n, text in lines.items() for line in text if len(line) > 100]
    assert len((ROOT / "app" / "main.py").read_text().splitlines()) <= 25
    long = {
        module_of(path): n for path in SOURCES if (n := len(path.read_text().splitlines())) > 350
    }
    assert not long


def test_no_module_of_the_app_hides_another():
    import sys

    names = {path.stem for path in (ROOT / "app").iterdir() if path.stem != "__init__"}
    assert not names & set(sys.stdlib_module_names)
    assert not names & {"param", "panel", "bokeh", "numpy", "scipy", "numba", "holoviews"}


@pytest.mark.parametrize("page", ["README.md", "fwcore/README.md"])
def test_every_solver_is_in_the_tables(page):
    text = (ROOT / page).read_text()
    ours = [s.name for s in fwcore.all_solvers() if s.compiles or page == "README.md"]
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    missing = [name for name in ours if f"`{name}`" not in rows]
    assert missing == [], f"add a row for it to the table of solvers in {page}"


def test_every_solver_has_digests():
    cases = (ROOT / "tests" / "fwcore" / "digests.py").read_text().partition("\nCASES")[2]
    missing = [s.name for s in fwcore.all_solvers() if f'\n    "{s.name}": ' not in cases]
    assert missing == [], "add a line for it to CASES in tests/fwcore/digests.py"
