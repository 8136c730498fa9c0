"""Flows: how APIs follow one another, as a state machine with its rules and recorded bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.kafka.registry import FOLDER, embedded_message
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json


@dataclass(frozen=True, slots=True)
class State:
    """A state of the machine."""

    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A way from one state to another, or back to it; `cause` is what takes it."""

    source: str
    target: str
    cause: str

    @property
    def name(self) -> str:
        """What steps call it."""
        return f"{self.source} > {self.target}"


@dataclass(frozen=True, slots=True)
class FlowRule:
    """What a client or a broker must do; `source` names the code and the KIPs for it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class FlowMessage:
    """A message that was recorded: its whole frame as `hex`, and the values that matter."""

    message: str
    version: int
    about: str
    hex: str
    values: Mapping[str, Json] = field(default_factory=dict, metadata={"omit": True})

    @property
    def layout(self) -> Layout:
        """The layout of its body."""
        return layout(embedded_message(self.message), self.version)

    @property
    def frame(self) -> bytes:
        """Its length, header and body."""
        return bytes.fromhex(self.hex)


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A step: the transitions that it takes, its rules and its messages."""

    title: str
    about: str
    transitions: tuple[str, ...]
    rules: tuple[FlowRule, ...]
    messages: tuple[FlowMessage, ...] = omitted(())


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow: `name` is that of its file and page, `side` whose states these are, first the start.

    `order` is its number in lists, `code` a section of the first client, `recorded` how bytes were
    recorded, `lacking` why some are not.
    """

    name: str
    order: int
    title: str
    summary: str
    about: tuple[str, ...]
    side: str
    kips: tuple[str, ...]
    apis: tuple[str, ...]
    states: Mapping[str, State]
    transitions: tuple[Transition, ...]
    steps: tuple[FlowStep, ...]
    code: str = omitted("")
    recorded: str = omitted("")
    lacking: str = omitted("")

    @property
    def path(self) -> str:
        """The name of its file, from the root of the repository."""
        return f"specs/kafka/flows/{self.name}.json"

    @property
    def place(self) -> str:
        """The address of its page from the root of a site."""
        return f"flows/{self.name}/"

    def sources(self) -> Iterator[str]:
        """What its rules cite."""
        for step in self.steps:
            yield from (rule.source for rule in step.rules)

    def taken(self, step: FlowStep) -> list[tuple[int, Transition]]:
        """The transitions that a step takes, with their numbers from 1."""
        names = [move.name for move in self.transitions]
        places = map(names.index, step.transitions)
        return [(place + 1, self.transitions[place]) for place in places]


@cache
def all_flows() -> tuple[Flow, ...]:
    """The flows, in the order of their numbers. The files are ours, and tests check them."""
    paths = FOLDER.joinpath("flows").glob("*.json")
    flows = [
        from_json(Flow, {"name": path.stem, **json.loads(path.read_bytes())}) for path in paths
    ]
    return tuple(sorted(flows, key=lambda flow: flow.order))
