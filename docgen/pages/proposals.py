"""The Kafka Improvement Proposals that our texts name: title and summary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.kafka import facts

NAME = re.compile(r"\bKIP-(\d{1,5})\b", re.ASCII)
_WIKI = "https://cwiki.apache.org/confluence/"
_ALL = "display/KAFKA/Kafka+Improvement+Proposals"


@dataclass(frozen=True, slots=True)
class Kip:
    """A proposal: its number, its title in sentence case, and a summary in our own words.

    `page` is its page in the wiki, from the wiki's root; "" if that is unknown. `issues` are those
    that implement it, as far as known; `guide` is the page of this reference about it.
    """

    number: int
    title: str
    summary: str
    page: str = omitted("")
    issues: tuple[str, ...] = omitted(())
    guide: str = omitted("")

    @property
    def name(self) -> str:
        """The name used in texts: "KIP-516"."""
        return f"KIP-{self.number}"

    @property
    def address(self) -> str:
        """The address of the proposal in the wiki, or else of the list of all proposals there."""
        return f"{_WIKI}{self.page or _ALL}"

    @property
    def place(self) -> str:
        """The address of its page from the root of a site."""
        return f"kips/{self.name.lower()}/"


@cache
def all_kips() -> Mapping[int, Kip]:
    """The proposals by number, in ascending order (kips.json)."""
    kips = from_json(tuple[Kip, ...], facts("kips.json")["kips"])
    return {kip.number: kip for kip in kips}


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers of the proposals that a text names, without duplicates, in order of
    appearance."""
    return tuple(dict.fromkeys(map(int, NAME.findall(text))))
