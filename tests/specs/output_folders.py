"""Folders of output that tests fill, replace and look at."""

from __future__ import annotations

from pathlib import Path

from wirebook.specs.output import LIST, SITE, replaced

Files = dict[str, str]


OLD: Files = {"index.html": "old", "api/fetch.html": "old", "gone/page.html": "old"}


NEW: Files = {"index.html": "new", "api/fetch.html": "new", "added/page.html": "new"}


OTHERS: Files = {
    ".git/HEAD": "ref", ".git/objects/ab/cd": "blob", "CNAME": "example.org", "mine/page.html": "mine",
    "api/mine.html": "mine", ".nojekyll": "",
}  # fmt: skip


def fill(folder: Path, files: Files) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def build(target: Path, files: Files, kind: str = SITE) -> None:
    with replaced(target, kind) as folder:
        fill(folder, files)


def held(folder: Path) -> Files:
    """Every file but the list."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LIST
    }


def used(tmp_path: Path) -> Path:
    """A folder with an output and the files of others."""
    target = tmp_path / "site"
    build(target, OLD)
    fill(target, OTHERS)
    (target / ".git/refs").mkdir()
    (target / "link").symlink_to("nowhere")
    return target
