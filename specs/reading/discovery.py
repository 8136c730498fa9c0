"""Decides which files are message specs, and limits how much is read to find them."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wirebook.specs.jsontext import COMMENT, parse_json
from wirebook.specs.model import MESSAGE_TYPES
from wirebook.specs.problems import InputError

# Roles of files by their suffix.
ZIPS = (".jar", ".zip", ".whl")
TARS = (".tar.gz", ".tgz")
BUNDLE = ".bundle"
STRUCTS = "structs"  # the type of a file of structs, which specs import
# Separates a spec from what it imports (`imports.py`). No JSON has it outside of a comment, and what follows
# has no control characters.
IMPORTED = b"\n\x1ewirebook-imports\x1e"
REGISTRY = "api_versions.json"  # the file name of the registry of protocol levels, beside specs
HEAD = 64 << 10  # bytes examined of a text that is too large to be read

# Builds leave copies of specs: storage/bin/main/message was once committed by accident. Installed packages
# bring specs of others.
BUILT_FOLDERS = frozenset((
    "node_modules", "build", "target", "out", "bin", "__pycache__", "__MACOSX", "site-packages", "venv",
))  # fmt: skip
# Messages in these folders are never sent, and may reuse the keys and names of real ones.
TEST_FOLDERS = frozenset({"test", "tests", "examples", "proposals"})
_FOLDERS = frozenset({"message", "messages", "metadata"})
_NAMED = re.compile(r"\w+(?:Request|Response|Header|Data|Record|Key|Value)\.json", re.ASCII)
# Compiled on first use: a file whose path marks it as a spec needs none of them.
_TYPE = rb'"type"\s*:\s*"(?:%s)"' % "|".join((*MESSAGE_TYPES, STRUCTS)).encode()
_TOKEN = rb'"(?:[^"\\\r\n]++|\\.)*+"|%s|[\[\]{}:,"]' % COMMENT.encode()
_ESCAPED = rb"\\u00(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])"
_BOM = b"\xef\xbb\xbf"


class SpecText(NamedTuple):
    """A spec file: its path inside the source, its bytes, and git's name for them."""

    path: str
    text: bytes
    digest: str


def shown(name: bytes) -> str:
    """A file name as printable, storable text: bytes that are not UTF-8 become \\xNN."""
    return name.decode("utf-8", "backslashreplace")


def skipped_folder(name: str, tests: bool) -> bool:
    """Whether to skip a folder of this name; `tests` includes folders of tests, examples and proposals."""
    return name.startswith(".") or name in BUILT_FOLDERS or (not tests and name in TEST_FOLDERS)


def candidate_file(name: str) -> bool:
    """Whether a file with this name may be a spec. Hidden ones may: the globs of Java include them."""
    return name.endswith(".json")


def candidate(path: str, tests: bool) -> bool:
    """Whether the file at a path inside a source may be a spec."""
    folder, _, name = path.rpartition("/")
    return candidate_file(name) and not _is_skipped(folder, tests)


@lru_cache(maxsize=1024)
def _is_skipped(folder: str, tests: bool) -> bool:
    """Whether a folder is, or is inside, one below which nothing is a spec."""
    return any(skipped_folder(part, tests) for part in folder.split("/") if part)


def place_of(path: str) -> int:
    """How many of two signs of a spec a path has, its folder and its name; 0 for a hidden file."""
    *folders, name = path.split("/")
    if name.startswith("."):
        return 0
    return (bool(folders) and folders[-1] in _FOLDERS) + (_NAMED.fullmatch(name) is not None)


def may_be_registry(text: bytes) -> bool:
    """Whether a text may be a registry of protocol levels, whatever its file is called."""
    text = _unescaped(text)
    return b'"version"' in text and b'"release"' in text


def may_import(text: bytes) -> bool:
    """Whether a spec may import structs: only those of which this is true pay for it."""
    return b'"imports"' in _unescaped(text)


def split_imports(text: bytes) -> tuple[bytes, bytes | None]:
    """The text of a spec, and what `with_imports` appended to it, None for nothing."""
    if IMPORTED not in text:
        return text, None
    own, _, appended = text.rpartition(IMPORTED)
    return own, appended


def is_structs(text: bytes) -> bool:
    """Whether a text is a file of structs, which specs import, or is meant to be one."""
    text = _unescaped(text)
    return b'"structs"' in text and _is_structs(_top_level(text)[0])


def _is_structs(keys: dict[bytes, bytes]) -> bool:
    return keys.get(b'"type"') == b'"%s"' % STRUCTS.encode()


def _unescaped(text: bytes) -> bytes:
    """A text with its escaped letters: a key written with escapes is the same key."""
    if b"\\u00" not in text:
        return text
    return re.sub(_ESCAPED, lambda match: bytes([int(match[1], 16)]), text, flags=re.IGNORECASE)


def is_spec(text: bytes, signs: int, *, whole: bool = True) -> bool:
    """Whether a text is a message spec or is meant to be one, so that a broken spec is not skipped.

    So is a file of structs, which specs import. A spec has "validVersions" at its top level; or a name, the
    type of a message and one more sign, unless the text ends before them. A text that is not JSON counts if
    it contains "validVersions" anywhere or its path has a sign of a spec; with both signs (`signs` is 2, see
    `place_of`) any text counts. `whole` is false for the beginning of a text that is too large to be read.
    """
    if signs == 2:
        return True
    if b"\0" in text[:4]:
        # Jackson reads UTF-16 and UTF-32, which a check rejects: specs in these encodings count, too.
        text = text.replace(b"\0", b"")
    text = _unescaped(text)
    marked = b'"validVersions"' in text
    if signs == 0 and not marked and not re.search(_TYPE, text):
        return False
    keys, broken = _top_level(text)
    if b'"validVersions"' in keys or _is_structs(keys):
        return True
    if (marked or signs) and (broken or not whole or _unreadable(text)):
        return True
    message = keys.get(b'"type"', b"").decode(errors="replace").strip('"') in MESSAGE_TYPES
    more = keys.keys() & {b'"fields"', b'"apiKey"', b'"flexibleVersions"', b'"commonStructs"'}
    return message and b'"name"' in keys and (bool(more) or (broken and whole))


def _unreadable(text: bytes) -> bool:
    try:
        parse_json(text, "")
    except InputError:
        return True
    return False


def _top_level(text: bytes) -> tuple[dict[bytes, bytes], bool]:
    """The keys of the outermost object, with the values that are strings, and whether it is unterminated.

    Stops at "validVersions", which is near the top: the first lines of most specs are enough.
    """
    keys: dict[bytes, bytes] = {}
    word = key = None
    for token in _outermost(text):
        if token in b"}]":
            return keys, False
        if token == b",":
            key = None
        elif token == b":" and word is not None:
            key, word = word, None
            keys.setdefault(key, b"")
            if key == b'"validVersions"':
                return keys, False
        elif token.startswith(b'"') and key is None:
            word = token
        elif token.startswith(b'"'):
            keys[key or b""] = token
    return keys, True


def _outermost(text: bytes) -> Iterator[bytes]:
    """The tokens directly in the outermost object, and its closing bracket if all in it is complete."""
    closing: list[bytes] = []
    for match in re.compile(_TOKEN).finditer(text, len(_BOM) if text.startswith(_BOM) else 0):
        token = match[0]
        if token == b'"':
            return
        if token in b"{[":
            closing.append(b"}" if token == b"{" else b"]")
        elif token in b"}]":
            if not closing or closing.pop() != token:
                return
            if not closing:
                yield token
                return
        elif closing == [b"}"]:
            yield token


def relative(path: str | os.PathLike[str], start: str | os.PathLike[str]) -> str:
    """A path relative to another folder; on Windows it stays absolute if that is on another drive."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return os.fspath(path)
