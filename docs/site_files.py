"""Files from outside `docs/` that the site shows: a hook of `mkdocs build`.

Pages link to such files by their place in the repository, `../experiments/results/x.json` or
`../CONTRIBUTING.md`, so that the links also work where the repository is browsed. The site has the
same files in its own root, and links to them there.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the results of experiments, and the pages that lie in the repository's root."""
    for path in sorted((ROOT / "experiments" / "results").iterdir()):
        place = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, place, abs_src_path=str(path)))
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links out of `docs/` into links within the site."""
    markdown = markdown.replace("](../experiments/results/", "](experiments/results/")
    for source, target in PAGES.items():
        markdown = re.sub(rf"\]\((\.\./)?{re.escape(source)}", f"]({target}", markdown)
    return markdown
