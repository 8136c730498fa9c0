"""Other names of messages, error codes and fields: those in aliases.json, and the classes of Java clients."""

from __future__ import annotations

import re
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.texts.model import Alias
from wirebook.specs.texts.reader import read_aliases

PLACE = "specs/kafka/aliases.json"
# "Authorization" and "Authentication" fail, but a class is named without that.
_SUFFIX = re.compile(r"_(?:EXCEPTION|ERROR|FAILURE|NUMBER)$|(?<=ATION)_FAILED$")


@cache
def all_aliases() -> tuple[Alias, ...]:
    """The other names (aliases.json). Raises InputError with line and column if the file is invalid."""
    return read_aliases((FOLDER / "aliases.json").read_bytes(), PLACE)


def exception_of(code: str) -> str:
    """The class that Java clients throw for an error code: NotLeaderOrFollowerException.

    A class with an irregular name is in aliases.json.
    """
    return "".join(word.capitalize() for word in _SUFFIX.sub("", code).split("_")) + "Exception"
