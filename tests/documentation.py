"""The README and the pages of `docs/` as data: their code blocks, sessions, tables and links.

`CONTRIBUTING.md` says how blocks are marked. `python -m tests.documentation` runs all sessions and
writes their present output into the pages.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxsweep.runtime.compilation import cache_folder

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])

COPIED = ("jaxsweep", "viewer", "tests", "pyproject.toml", "README.md", "LICENSE")
"""What a page that changes files gets a copy of."""

VOLATILE = (
    (re.compile(r"\d[\d,.]* (s\b|ms a game|deselected)"), r"… \1"),
    (re.compile(r" in [\d.]+s"), " in …s"),
)
"""Times, which are never the same twice, and how many other tests there are."""

_FENCE = re.compile(r"^```(\w*)\s*$")
_MARK = re.compile(r"^<!-- (not run|file|figures): (.+) -->$")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    """The number of its first line of code, from 0."""
    language: str
    lines: tuple[str, ...]
    marks: dict[str, str] = field(default_factory=dict)
    """What a comment in the line before it says."""

    @property
    def is_run(self) -> bool:
        return "not run" not in self.marks

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@dataclass(frozen=True)
class Command:
    """A command of a session, and the output that the page shows."""

    command: str
    start: int
    """The number of the first line of its output, from 0."""
    output: tuple[str, ...]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found, i = [], 0
    while i < len(lines):
        fence = _FENCE.match(lines[i])
        if fence is None:
            i += 1
            continue
        end = lines.index("```", i + 1)
        mark = _MARK.match(lines[i - 1]) if i else None
        marks = {mark[1]: mark[2]} if mark else {}
        found.append(Block(page, i + 1, fence[1], tuple(lines[i + 1 : end]), marks))
        i = end + 1
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a session."""
    starts = [i for i, line in enumerate(block.lines) if line.startswith("$ ")]
    return [
        Command(block.lines[i][2:], block.line + i + 1, block.lines[i + 1 : end])
        for i, end in zip(starts, [*starts[1:], len(block.lines)], strict=True)
    ]


def matches(shown: tuple[str, ...], output: str) -> bool:
    """Whether an output is what a page shows; `…` stands for anything."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in shown
    )
    return re.fullmatch(pattern, tidy(output)) is not None


def tidy(output: str) -> str:
    """An output without spaces at the ends of its lines, each of which ends."""
    return "".join(line.rstrip() + "\n" for line in output.splitlines())


class Workspace:
    """An empty directory, or a copy of the project, in which a page's commands run."""

    def __init__(self, page: Path, place: Path):
        self.page, self.place = page, place
        changes_files = any("file" in b.marks or b.language == "diff" for b in blocks(page))
        if changes_files:
            for source in COPIED:
                self._copy(ROOT / source)
        programs = place / ".programs"
        programs.mkdir()
        python = programs / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        unset = ("JAX_NUM_CPU_DEVICES", "COVERAGE_PROCESS_START")
        kept = {
            k: v for k, v in os.environ.items() if not k.startswith("PYTEST_") and k not in unset
        }
        self.environment = kept | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(place if changes_files else ROOT),
            # Libraries leave the compilation cache to their users; here it saves time.
            "JAX_COMPILATION_CACHE_DIR": str(cache_folder()),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
        }

    def _copy(self, source: Path) -> None:
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, self.place / source.name, ignore=ignored)
        else:
            shutil.copy(source, self.place / source.name)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a program; both of its outputs are one."""
        return subprocess.run(
            command,
            cwd=self.place,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )

    def sessions(self) -> Iterator[tuple[Command, str]]:
        """Runs all commands of a page in order, and gives the output of each.

        Files that the page shows are written, and changes that it shows are made, on the way.
        """
        for block in filter(lambda b: b.is_run, blocks(self.page)):
            if "file" in block.marks:
                (self.place / block.marks["file"]).write_text(block.text, encoding="utf-8")
            elif block.language == "diff":
                self.change(block)
            elif block.language == "console":
                for command in commands(block):
                    shown = re.fullmatch(r"cat (\S+)", command.command)
                    if shown and not (self.place / shown[1]).exists():
                        text = "".join(line + "\n" for line in command.output)
                        (self.place / shown[1]).write_text(text, encoding="utf-8")
                    yield command, self.run("bash", "-c", command.command).stdout

    def change(self, block: Block) -> None:
        """Adds the lines of a diff to a file; each part names a line that is there just once."""
        path = self.place / block.lines[0].removeprefix("--- ")
        text = path.read_text(encoding="utf-8")
        for part in "\n".join(block.lines[1:]).split("\n\n"):
            old = [line[1:] for line in part.splitlines() if not line.startswith("+")]
            new = [line[1:] for line in part.splitlines()]
            before, after = ("".join(line + "\n" for line in lines) for lines in (old, new))
            assert text.count(before) == 1, f"{name(self.page)}: {old} is not once in {path.name}"
            text = text.replace(before, after)
        path.write_text(text, encoding="utf-8")

    def program(self) -> Path | None:
        """All Python of a page as one program, its lines where they are in the page."""
        python = [b for b in blocks(self.page) if b.language == "python" and b.is_run]
        python = [b for b in python if "file" not in b.marks]
        if not python:
            return None
        lines = [""] * (python[-1].line + len(python[-1].lines))
        for block in python:
            lines[block.line : block.line + len(block.lines)] = block.lines
        path = self.place / f"{self.page.stem}.py"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


@dataclass(frozen=True)
class Table:
    """A table whose figures come from a file of results."""

    page: Path
    results: Path
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(page: Path) -> list[Table]:
    """The tables of a page that name a file of results."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found = []
    for i, line in enumerate(lines):
        mark = _MARK.match(line)
        if mark is None or mark[1] != "figures":
            continue
        end = next(
            (j for j in range(i + 1, len(lines)) if not lines[j].startswith("|")), len(lines)
        )
        cells = [
            tuple(cell.strip() for cell in row.strip("|").split("|")) for row in lines[i + 1 : end]
        ]
        results = ROOT / "experiments" / "results" / mark[2]
        found.append(Table(page, results, cells[0], tuple(cells[2:])))
    return found


def links(page: Path) -> list[tuple[str, str]]:
    """The links of a page to other files, its pictures among them: path and anchor."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)", text)
    found += [(path, "") for path in re.findall(r'\bsrc(?:set)?="([^"]+)"', text)]
    return [(path, anchor) for path, anchor in found if not path.startswith("http")]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def update(page: Path) -> int:
    """Writes the present output of all sessions into a page; how many were different."""
    lines = page.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as place:
        results = list(Workspace(page, Path(place)).sessions())
    stale = [
        (command, output) for command, output in results if not matches(command.output, output)
    ]
    for command, output in reversed(stale):
        for pattern, text in VOLATILE:
            output = pattern.sub(text, output)
        end = command.start + len(command.output)
        lines[command.start : end] = tidy(output).splitlines()
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(stale)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
        print(f"{name(page.resolve())}: {update(page.resolve())} outputs written")
