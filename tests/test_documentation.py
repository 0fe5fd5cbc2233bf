"""What the README and the pages of `docs/` show is what happens."""

import functools
import json
import pkgutil
import re
import subprocess
import sys
from collections import Counter

import pytest

from tests import documentation
from tests.documentation import PAGES, ROOT, Workspace, blocks, name, tables
from tests.needs import packages, program

NOT_RUN = {
    "README.md": 2,
    "CONTRIBUTING.md": 2,
    "docs/getting-started.md": 1,
    "docs/learning.md": 1,
    "docs/posterior.md": 1,
    "docs/serving.md": 2,
}
"""How many blocks of a page are marked as not run."""

ADAPTERS = ("gymnasium", "gymnax", "jumanji", "mctx", "pgx")
NEEDED = {"docs/interfaces.md": ADAPTERS, "docs/api/adapters.md": ADAPTERS}
"""Packages that the test of a page needs, and that are not in the group `test`."""

LANGUAGES = {"", "python", "console", "bash", "diff"}

every_page = pytest.mark.parametrize("page", PAGES, ids=name)


def pages_with(language):
    return pytest.mark.parametrize(
        "page",
        [p for p in PAGES if any(b.language == language and b.is_run for b in blocks(p))],
        ids=name,
    )


@every_page
def test_blocks_are_of_known_languages_and_links_lead_somewhere(page):
    assert {block.language for block in blocks(page)} <= LANGUAGES
    for path, anchor in documentation.links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)}: {path}"
        if anchor and target.suffix == ".md":
            assert anchor in documentation.anchors(target), f"{name(page)}: {path}#{anchor}"


def test_blocks_that_are_not_run_are_these():
    unrun = [block for page in PAGES for block in blocks(page) if not block.is_run]
    for block in unrun:
        print(f"{name(block.page)}:{block.line} not run: {block.marks['not run']}")
    assert Counter(name(block.page) for block in unrun) == NOT_RUN


@pages_with("console")
def test_sessions_are_what_happens(page, tmp_path):
    for command, output in Workspace(page, tmp_path).sessions():
        shown = "\n".join(command.output)
        assert documentation.matches(command.output, output), (
            f"{name(page)}:{command.start}: $ {command.command}\n{output}\n--- shown:\n{shown}"
        )


@pages_with("python")
def test_python_runs(page, tmp_path):
    packages(*NEEDED.get(name(page), ()))
    workspace = Workspace(page, tmp_path)
    path = workspace.program()
    if path is None:  # a page whose Python is files of a session
        return
    done = workspace.run(sys.executable, str(path))
    assert done.returncode == 0, done.stdout


@functools.cache
def options(module):
    """The options of a command, by its own help."""
    command = [sys.executable, "-m", module, "--help"]
    help_text = subprocess.check_output(command, cwd=ROOT, encoding="utf-8")
    return set(re.findall(r"--[a-z][a-z-]*", help_text))


@pages_with("bash")
def test_options_in_shell_blocks_exist(page):
    for block in (b for b in blocks(page) if b.language == "bash" and b.is_run):
        for line in block.text.replace("\\\n", " ").splitlines():
            call = re.search(r"python -m (\S+)(.*?)(?:#|$)", line)
            if call:
                used = set(re.findall(r"(?<= )--[a-z][a-z-]*", call[2]))
                assert used <= options(call[1]), line


def test_the_readme_is_one_page():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 160


def test_every_module_is_on_the_map():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    entry_modules = {path.stem for path in (ROOT / "jaxsweep" / "commands").glob("*.py")}
    modules = {path.stem for path in (ROOT / "jaxsweep").rglob("*.py")} - entry_modules
    missing = {module for module in modules if f"`{module}`" not in page and "__" not in module}
    assert not missing, f"add to the table of modules in docs/architecture.md: {missing}"


def test_tests_that_a_page_names_exist():
    for page in PAGES:
        for test in re.findall(r"`(?:tests/)?(test_\w+)", page.read_text(encoding="utf-8")):
            assert (ROOT / "tests" / f"{test}.py").exists(), f"{name(page)}: {test}"


@pytest.mark.smoke
@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "api").glob("*.md")), ids=name)
def test_the_api_reference_names_what_there_is(page):
    packages(*NEEDED.get(name(page), ()))
    parts = page.read_text(encoding="utf-8").split("\n::: ")[1:]
    for part in parts:
        place = pkgutil.resolve_name(part.splitlines()[0])
        members = re.search(r"members: \[(.*)\]", part)
        for member in members[1].split(", ") if members else ():
            assert hasattr(place, member), member


# Figures.


def numbers(data):
    """All numbers of a result, those in its texts, too, and half of each interval."""
    if isinstance(data, dict):
        for value in data.values():
            yield from numbers(value)
    elif isinstance(data, list):
        if len(data) == 2 and all(isinstance(x, float) for x in data):
            yield (data[1] - data[0]) / 2
        for value in data:
            yield from numbers(value)
    elif isinstance(data, str):
        yield from (float(x.replace(",", "")) for x in re.findall(r"\d[\d,]*(?:\.\d+)?", data))
    elif isinstance(data, (int, float)):
        yield data


def rounded(number, like):
    """A number written with as many digits as another."""
    if "e" in like:
        return f"{number:.{len(like.split('e')[0].partition('.')[2])}e}"
    return f"{number:.{len(like.partition('.')[2])}f}"


every_table = pytest.mark.parametrize(
    "table",
    [table for page in PAGES for table in tables(page)],
    ids=lambda table: f"{name(table.page)}-{table.results.name}-{table.header[-1]}",
)


@every_table
def test_every_figure_of_a_table_is_in_its_file(table):
    known = list(numbers(json.loads(table.results.read_text(encoding="utf-8"))))
    for row in table.rows:
        for cell in row[1:]:
            text = re.sub(r"`[^`]*`|\d+×\d+(/\d+)?|\d+/\d+", "", cell).replace(",", "")
            for figure in re.findall(
                r"(?<![\d.])-?\d+(?:\.\d+)?(?:e-\d+)?", text.replace("–", " ")
            ):
                found = any(figure in (rounded(x, figure), rounded(100 * x, figure)) for x in known)
                assert found, f"{figure} of {row} is not in {table.results.name}"


BOARDS = {"expert": "16×30/99"}


@pytest.mark.parametrize(
    "table",
    [t for page in PAGES for t in tables(page) if t.results.name == "winrates.json"],
    ids=lambda table: name(table.page),
)
def test_win_rates_are_those_of_the_player_board_and_start(table):
    measured = {
        (entry["player"], entry["board"], entry["start"]): entry
        for entry in json.loads(table.results.read_text(encoding="utf-8"))
    }
    for row in table.rows:
        for title, cell in zip(table.header[1:], row[1:], strict=True):
            board = BOARDS.get(title.split()[0], title.split()[0])
            for start, shown in zip(("safe", "zero"), cell.split(" / "), strict=True):
                entry = measured[row[0].strip("`"), board, start]
                low, high = entry["interval_95"]
                expected = f"{100 * entry['win_rate']:.2f} ± {50 * (high - low):.2f}"
                assert shown == expected, (row[0], board, start)
                assert entry["games"] >= 200_000


# The site.


def test_the_site_builds(tmp_path):
    workspace = Workspace(ROOT / "docs" / "index.md", tmp_path)
    mkdocs = program("mkdocs")
    config = str(ROOT / "mkdocs.yml")
    done = workspace.run(
        mkdocs, "build", "--strict", "--quiet", "-f", config, "-d", str(tmp_path / "site")
    )
    assert done.returncode == 0, done.stdout
    pages = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "site").rglob("*.html"))
    for api in ("jaxsweep.inference.infer", "jaxsweep.environment.Environment.step"):
        assert f'id="{api}"' in pages, api
    fetched = re.findall(r'(?:src|<link[^>]*href)="(https?://[^"]+)"', pages)
    assert not fetched, "the site needs no network"
