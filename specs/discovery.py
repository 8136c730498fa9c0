"""Decides which files are message specs."""

from __future__ import annotations

import re

from wirebook.specs.jsontext import JsonObject, parse_json
from wirebook.specs.model import MESSAGE_TYPES
from wirebook.specs.problems import InputError

STRUCTS = "structs"  # the type of a file of structs, which specs import
REGISTRY = "api_versions.json"  # the file name of the registry of protocol levels, beside specs

# Builds leave copies of specs, which were once committed; installed packages have those of others.
BUILT_FOLDERS = frozenset((
    "node_modules", "build", "target", "out", "bin", "__pycache__", "__MACOSX", "site-packages",
    "venv",
))  # fmt: skip
# Messages in these folders are never sent, and may reuse the keys and names of real ones.
TEST_FOLDERS = frozenset({"test", "tests", "examples", "proposals"})
_FOLDERS = frozenset({"message", "messages", "metadata"})
_NAMED = re.compile(r"\w+(?:Request|Response|Header|Data|Record|Key|Value)\.json", re.ASCII)
_TYPE = re.compile(rb'"type"\s*:\s*"(?:%s)"' % "|".join(MESSAGE_TYPES).encode())
_ESCAPED = b"\\u"  # a key that is written with escapes is the same key
_ESCAPED_ASCII = re.compile(rb"\\u00([2-7][0-9a-fA-F])")
_MORE_KEYS = frozenset(("fields", "apiKey", "flexibleVersions", "commonStructs"))


def is_wanted(path: str) -> bool:
    """Whether a tree has the file at a path: maybe a spec, a table, settings or waivers."""
    *folders, name = path.split("/")
    return name.endswith((".json", ".toml")) and not any(
        folder.startswith(".") or folder in BUILT_FOLDERS for folder in folders
    )


def candidate(path: str) -> bool:
    """Whether the file at a path inside a source may be a spec.

    Hidden files may (Java's globs include them), those in folders of builds and tests may not.
    """
    is_tested = not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
    return path.endswith(".json") and is_wanted(path) and not is_tested


def is_structs(text: bytes) -> bool:
    """Whether a text is a file of structs, which specs import: it has no versions of its own."""
    if b'"structs"' not in text and _ESCAPED not in text:
        return False
    value = _object(text) or {}
    return value.get("type") == STRUCTS and "validVersions" not in value


def is_spec(text: bytes, path: str) -> bool:
    """Whether a text is a message spec or is meant to be one, so that a broken spec is not skipped.

    A spec has "validVersions" at its top level; or a name, the type of a message and one more sign.
    A text that is not JSON counts if it contains "validVersions" anywhere, or a name and the type
    of a message, or if its path has a sign of a spec: its folder or its name. With both signs any
    text counts. Signs are the same in UTF-16, UTF-32 and with escapes, which Jackson reads, too.
    """
    *folders, name = path.split("/")
    signs = (bool(folders) and folders[-1] in _FOLDERS) + (_NAMED.fullmatch(name) is not None)
    if signs == 2:
        return True
    plain = text.replace(b"\0", b"") if b"\0" in text[:4] else text
    plain = _ESCAPED_ASCII.sub(lambda match: bytes.fromhex(match[1].decode()), plain)
    marked = b'"validVersions"' in plain or (_TYPE.search(plain) is not None and b'"name"' in plain)
    if not (signs or marked):
        return False
    value = _object(text)
    if value is None:
        return True
    is_message = value.get("type") in MESSAGE_TYPES and "name" in value
    return "validVersions" in value or (is_message and not _MORE_KEYS.isdisjoint(value))


def _object(text: bytes) -> dict[str, object] | None:
    """The JSON object that a text is; an empty one for other JSON, None for what is no JSON."""
    try:
        value = parse_json(text, "").value
    except InputError:
        return None
    return value if isinstance(value, JsonObject) else {}
