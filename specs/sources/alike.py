"""Paths that are one path where a file system ignores letter case or Unicode normalization."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.specs.reading.discovery import PROFILE, candidate
from wirebook.specs.sources.git_objects import ATTRIBUTES, Alike

# Programs open these by name, so that another spelling is enough.
_BY_NAME = frozenset(
    name.encode() for name in (ATTRIBUTES, PROFILE, "wirebook.toml", "pyproject.toml", "waivers.toml")
)
_MANY = 64  # more names are compared by a listing


def alike_siblings(names: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """The pairs of names of one folder that some file systems do not distinguish."""
    lowered = set(map(bytes.lower, names))
    is_plain = all(map(bytes.isascii, names))
    if is_plain and len(lowered) == len(names) and (lowered & _BY_NAME).issubset(names):
        return []
    pairs: list[tuple[bytes, bytes]] = []
    first_of = {name: name for name in _BY_NAME}
    for name in sorted(set(names)):
        other = first_of.setdefault(_folded(name), name)
        if other != name:
            pairs.append((name, other))
    return pairs


def of_files(pairs: Iterable[tuple[str, str]], paths: Iterable[str]) -> list[Alike]:
    """The pairs that concern files that may be specs, or files that decide what specs mean."""
    every = [path for path in paths if candidate(path, tests=True) or decides(path)]
    alike: list[Alike] = []
    for pair in sorted(pairs):
        inside = tuple(f"{path}/" for path in pair)
        files = {path for path in every if path in pair or path.startswith(inside)}
        files.update(path for path in pair if decides(path) or path.endswith(".toml"))
        if files:
            alike.append(Alike(*pair, tuple(sorted(files))))
    return alike


def decides(path: str) -> bool:
    """Whether a file decides what specs mean, or would under another spelling of its name."""
    return _folded(path.rpartition("/")[2].encode("utf-8", "surrogateescape")) in _BY_NAME


def _folded(name: bytes) -> bytes:
    if name.isascii():
        return name.lower()
    import unicodedata

    def decomposed(text: str) -> str:
        return unicodedata.normalize("NFD", text)

    text = decomposed(decomposed(name.decode("utf-8", "surrogateescape")).casefold())
    # HFS+ ignores characters that are not visible.
    visible = (character for character in text if unicodedata.category(character) != "Cf")
    return "".join(visible).encode("utf-8", "surrogateescape")
