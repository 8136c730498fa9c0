"""Flows: how APIs follow one another, as a state machine with its rules and the bytes of a real
exchange."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook.specs.codec import codec
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.registry import FOLDER, embedded_message
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json

FLOWS = FOLDER / "flows"
_FRAME = 4


@dataclass(frozen=True, slots=True)
class State:
    """A state of the machine; `name` is what transitions call it."""

    name: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A way from one state to another, or back to it; `cause` is what takes it. Numbers begin at
    1."""

    number: int
    source: str
    target: str
    cause: str


@dataclass(frozen=True, slots=True)
class FlowRule:
    """What a client or a broker must do, or does; `source` names the code and the KIPs that decide
    it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class FlowMessage:
    """A message that was recorded: its layout, its whole frame, and the values that matter."""

    layout: Layout
    about: str
    frame: bytes
    values: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A step: the transitions that it takes, its rules and its messages."""

    id: str
    title: str
    about: str
    transitions: tuple[Transition, ...]
    rules: tuple[FlowRule, ...]
    messages: tuple[FlowMessage, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow: `name` is that of its file and page, `side` whose states these are; the first is the
    start. `order` is its number in lists.

    `recorded` is how the bytes were recorded; `lacking` is why steps have none.
    """

    name: str
    order: int
    title: str
    summary: str
    about: tuple[str, ...]
    side: str
    kips: tuple[str, ...]
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    steps: tuple[FlowStep, ...]
    recorded: str
    lacking: str
    apis: tuple[str, ...]

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

    def state(self, name: str) -> State:
        """A state by its name."""
        return next(state for state in self.states if state.name == name)


@cache
def all_flows() -> tuple[Flow, ...]:
    """The flows, in the order of their numbers. The files are ours, and tests check them."""
    flows = (_flow(path.stem, json.loads(path.read_bytes())) for path in FLOWS.glob("*.json"))
    return tuple(sorted(flows, key=lambda flow: flow.order))


def _flow(name: str, root: Mapping[str, Any]) -> Flow:
    numbered = enumerate(root["transitions"], start=1)
    moves = [Transition(at, each["from"], each["to"], each["cause"]) for at, each in numbered]
    by_ends = {f"{move.source} > {move.target}": move for move in moves}
    steps = tuple(_step(each, at, by_ends) for at, each in enumerate(root["steps"], start=1))
    apis = [message.layout.api for step in steps for message in step.messages]
    return Flow(
        name,
        root["order"],
        root["title"],
        root["summary"],
        tuple(root["about"]),
        root["side"],
        tuple(root["kips"]),
        tuple(State(key, **each) for key, each in root["states"].items()),
        tuple(moves),
        steps,
        root.get("recorded", ""),
        root.get("lacking", ""),
        tuple(dict.fromkeys((*apis, *root.get("apis", ())))),
    )


def _step(node: Mapping[str, Any], number: int, moves: Mapping[str, Transition]) -> FlowStep:
    return FlowStep(
        f"step-{number}",
        node["title"],
        node["about"],
        tuple(moves[each] for each in node["transitions"]),
        tuple(FlowRule(**each) for each in node["rules"]),
        tuple(map(_recorded, node.get("messages", ()))),
    )


def _recorded(node: Any) -> FlowMessage:
    of = layout(embedded_message(node["message"]), node["version"])
    assert of.header_version is not None
    header = header_layout(of.type, of.header_version)
    frame = bytes.fromhex(node["hex"])
    head = codec(header).read(frame, _FRAME, whole=False).right()
    value = codec(of).read(frame, head.at, whole=False).right().value
    values = {path: _value_at(value, path) for path in node.get("values", ())}
    return FlowMessage(of, node["about"], frame, values)


def _value_at(value: Json, path: str) -> Json:
    """The value at a path such as "Topics[0].Name". Raises LookupError."""
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        if name and isinstance(value, dict):
            value = value[name]
        elif index and isinstance(value, list):
            value = value[int(index)]
        else:
            raise LookupError(path)
    return value
