"""Flows: how APIs follow one another, as a state machine with its rules and the bytes of a real exchange."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.specs.kafka.citations import citations
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.kafka.kips import NAME, all_kips
from wirebook.specs.kafka.origins import unlisted_code
from wirebook.specs.kafka.registry import FOLDER, embedded_path, read_embedded
from wirebook.specs.model import Json, Message
from wirebook.specs.problems import Position
from wirebook.specs.profile import HALVES
from wirebook.specs.syntax.jsontext import JsonDocument, JsonObject, parse_json
from wirebook.specs.texts.prose import ProseReader
from wirebook.specs.wire.codec import Codec, codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError

FLOWS = FOLDER / "flows"
_SCHEMA = "wirebook/flow/1"
_STATE = ("title", "about")
_TRANSITION = ("from", "to", "cause")
_STEP = ("title", "about", "transitions", "rules")
_RULE = ("text", "source")
_MESSAGE = ("message", "version", "about", "hex")
_FRAME = 4
_PARTS = re.compile(r"[^\s,](?:[^,]*[^\s,])?")


@dataclass(frozen=True, slots=True)
class State:
    """A state of the machine; `name` is what transitions call it."""

    name: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A way from one state to another, or back to it; `cause` is what takes it. Numbers begin at 1."""

    number: int
    source: str
    target: str
    cause: str


@dataclass(frozen=True, slots=True)
class FlowRule:
    """What a client or a broker must do, or does; `source` names the code and the KIPs that decide it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class FlowMessage:
    """A message that was recorded: its frame, the layouts of its parts, and the values that matter.

    `end` is where the body ends; what follows in the frame is described by no field.
    """

    layout: Layout
    header: Layout
    about: str
    frame: bytes
    body: int
    end: int
    values: Mapping[str, Json]

    @property
    def parts(self) -> tuple[tuple[str, Codec, bytes], ...]:
        """The parts after the length of the frame: name, codec and bytes."""
        return (
            ("header", codec(self.header), self.frame[_FRAME : self.body]),
            ("body", codec(self.layout), self.frame[self.body : self.end]),
        )


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
    """A flow: `name` is that of its file and page, `side` whose states these are; the first is the start.

    `recorded` is how the bytes were recorded; `lacking` is why steps have none.
    """

    name: str
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
    cited: tuple[tuple[str, Position], ...]

    @property
    def path(self) -> str:
        """The name of its file, from the root of the repository."""
        return f"specs/kafka/flows/{self.name}.json"

    @property
    def place(self) -> str:
        """The address of its page from the root of a site."""
        return f"flows/{self.name}/"

    def state(self, name: str) -> State:
        """A state by its name."""
        return next(state for state in self.states if state.name == name)


@cache
def all_flows() -> tuple[Flow, ...]:
    """The flows, in the order of their numbers. Raises InputError with line and column if one is invalid."""
    flows = [read_flow(path.read_bytes(), path.stem) for path in sorted(FLOWS.glob("*.json"))]
    return tuple(flow for _, flow in sorted(flows, key=lambda pair: pair[0]))


def read_flow(text: str | bytes, name: str) -> tuple[int, Flow]:
    """Read one file: its number in lists, and the flow. Raises InputError with line and column.

    A state without a way to it, a message or version that does not exist, bytes that are not those of their
    message or lack a value that the file states, and a source that does not resolve are invalid.
    """
    path = f"specs/kafka/flows/{name}.json"
    return _Reader(parse_json(text, path), path, name).read()


class _Reader(ProseReader):
    def __init__(self, document: JsonDocument, path: str, name: str) -> None:
        super().__init__(document, path)
        self.name = name
        self.states: dict[str, State] = {}
        self.transitions: dict[tuple[str, str], Transition] = {}
        self.cited: list[tuple[str, Position]] = []
        self.sent: set[tuple[str, int]] = set()

    def read(self) -> tuple[int, Flow]:
        root = self.document.value
        if not isinstance(root, JsonObject):
            self.fail("a flow must be a JSON object", self.document.offset)
        required: tuple[str, ...] = ("schema", "order", "title", "summary", "about", "side", "kips", "states")
        required += ("transitions", "steps")
        self.keys(root, (*required, "$schema", "recorded", "lacking", "apis"), required)
        if root["schema"] != _SCHEMA:
            self.fail(f'"schema" must be "{_SCHEMA}"', root.values_at["schema"])
        order = root["order"]
        if not isinstance(order, int) or isinstance(order, bool):
            self.fail('"order" must be a number', root.values_at["order"])
        kips = self.sentences(root, "kips")
        for kip, at in zip(kips, self.list_at(root, "kips").values_at, strict=True):
            self.check_kip(kip, at)
        self.read_states(self.object_at(root, "states"))
        self.read_transitions(root)
        steps = tuple(
            self.step(each, number) for number, each in enumerate(self.objects(root, "steps"), start=1)
        )
        apis = dict.fromkeys(message.layout.api for step in steps for message in step.messages)
        for api, at in zip(self.sentences(root, "apis"), self.list_at(root, "apis").values_at, strict=True):
            self.message(f"{api}Request", at)
            apis[api] = None
        has_bytes = [bool(step.messages) for step in steps]
        if any(has_bytes) != ("recorded" in root):
            self.fail('"recorded" belongs to messages: it says where they are from', root.offset)
        if "lacking" in root and all(has_bytes):
            self.fail("every step has bytes", root.keys_at["lacking"])
        return order, Flow(
            self.name,
            self.text(root, "title"),
            self.text(root, "summary"),
            self.sentences(root, "about"),
            self.text(root, "side"),
            kips,
            tuple(self.states.values()),
            tuple(self.transitions.values()),
            steps,
            self.text(root, "recorded") if "recorded" in root else "",
            self.text(root, "lacking") if "lacking" in root else "",
            tuple(apis),
            tuple(self.cited),
        )

    def read_states(self, node: JsonObject) -> None:
        self.once(node)
        for name in node:
            state = self.object_at(node, name)
            self.keys(state, _STATE, _STATE)
            self.states[name] = State(name, self.text(state, "title"), self.text(state, "about"))

    def read_transitions(self, root: JsonObject) -> None:
        for number, node in enumerate(self.objects(root, "transitions"), start=1):
            self.keys(node, _TRANSITION, _TRANSITION)
            source, target = (self.state(node, key) for key in ("from", "to"))
            if (source, target) in self.transitions:
                self.fail(f"there is a transition from {source} to {target} already", node.offset)
            transition = Transition(number, source, target, self.text(node, "cause"))
            self.transitions[source, target] = transition
        reached = set(list(self.states)[:1])
        while more := {target for source, target in self.transitions if source in reached} - reached:
            reached |= more
        states = self.object_at(root, "states")
        for name in self.states:
            if name not in reached:
                self.fail(f'no way leads from the first state to the state "{name}"', states.keys_at[name])

    def state(self, node: JsonObject, key: str) -> str:
        name = node[key]
        if not isinstance(name, str) or name not in self.states:
            self.fail(f"there is no state {name!a}", node.values_at[key])
        return name

    def step(self, node: JsonObject, number: int) -> FlowStep:
        self.keys(node, (*_STEP, "messages"), _STEP)
        moves = []
        listed = self.list_at(node, "transitions")
        for item, at in zip(listed, listed.values_at, strict=True):
            ends = tuple(str(item).split(" > "))
            if len(ends) != 2 or ends not in self.transitions:
                self.fail(f"there is no transition {item!a}", at)
            moves.append(self.transitions[ends])
        rules = tuple(self.rule(each) for each in self.objects(node, "rules"))
        if not rules:
            self.fail("a step needs a rule", node.values_at["rules"])
        messages = tuple(self.recorded(each) for each in self.objects(node, "messages"))
        title, about = self.text(node, "title"), self.text(node, "about")
        return FlowStep(f"step-{number}", title, about, tuple(moves), rules, messages)

    def rule(self, node: JsonObject) -> FlowRule:
        self.keys(node, _RULE, _RULE)
        text, source, at = self.text(node, "text"), self.text(node, "source"), node.values_at["source"]
        code = [citation.start for citation in citations(source)]
        for part in _PARTS.finditer(source):
            if NAME.fullmatch(part[0]):
                self.check_kip(part[0], at)
            elif not any(part.start() <= start < part.end() for start in code):
                self.fail(f"{part[0]!a} is neither code nor a KIP", at)
        problem = next(unlisted_code(source), None)
        if problem is not None:
            self.fail(problem, at)
        self.cited.append((source, self.document.lines.position(at)))
        return FlowRule(text, source)

    def check_kip(self, text: str, at: int) -> None:
        match = NAME.fullmatch(text)
        if match is None or int(match[1]) not in all_kips():
            self.fail(f"kips.json has no {text}", at)

    def message(self, name: str, at: int) -> Message:
        try:
            message = _spec(name)
        except StopIteration:
            self.fail(f"there is no message {name!a}", at)
        if message.type not in HALVES:
            self.fail(f"{name} is neither a request nor a response", at)
        return message

    def recorded(self, node: JsonObject) -> FlowMessage:
        self.keys(node, (*_MESSAGE, "values", "rest"), _MESSAGE)
        message = self.message(self.text(node, "message"), node.values_at["message"])
        version = node["version"]
        if not isinstance(version, int) or version not in message.valid_versions:
            valid = f"its valid versions are {message.valid_versions}"
            self.fail(f"{message.name} has no version {version!a}; {valid}", node.values_at["version"])
        of = layout(message, version)
        assert of.header_version is not None
        header = header_layout(of.type, of.header_version)
        at = node.values_at["hex"]
        try:
            frame = bytes.fromhex(self.text(node, "hex"))
        except ValueError:
            self.fail("these are not bytes in hex", at)
        rest = node.get("rest", 0)
        if not isinstance(rest, int) or not 0 <= rest < len(frame):
            self.fail('"rest" must be the number of bytes after the body', node.values_at["rest"])
        try:
            body, end, value = _decoded(frame, header, of, rest)
        except WireError as error:
            self.fail(f"these are not the bytes of {message.name} {version}: {error}", at)
        self.check_sender(header, frame, of, at)
        values: dict[str, Json] = {}
        if "values" in node:
            stated = self.object_at(node, "values")
            self.once(stated)
            for path in stated:
                try:
                    own = _value_at(value, path)
                except LookupError:
                    self.fail(f'{message.name} {version} has no value at "{path}"', stated.keys_at[path])
                if own != stated[path]:
                    self.fail(f"{path} is {own!a} in the bytes", stated.values_at[path])
                values[path] = own
        return FlowMessage(of, header, self.text(node, "about"), frame, body, end, values)

    def check_sender(self, header: Layout, frame: bytes, of: Layout, at: int) -> None:
        """A request names its message in the header; a response answers a request before it."""
        value, _ = codec(header).decode_from(frame, _FRAME)
        correlation = value["CorrelationId"]
        assert isinstance(correlation, int)
        if of.type == "response":
            if (of.api, correlation) not in self.sent:
                self.fail(f"no request of {of.api} before it has the correlation id {correlation}", at)
            return
        named = value["RequestApiKey"], value["RequestApiVersion"]
        if named != (of.api_key, of.version):
            self.fail(f"the header names version {named[1]} of API key {named[0]}", at)
        self.sent.add((of.api, correlation))

    def objects(self, node: JsonObject, key: str) -> Iterator[JsonObject]:
        values = self.list_at(node, key)
        for value, at in zip(values, values.values_at, strict=True):
            if not isinstance(value, JsonObject):
                self.fail(f'"{key}" must be a list of objects', at)
            yield value


@cache
def _spec(name: str) -> Message:
    return read_embedded(embedded_path(name))


def _decoded(frame: bytes, header: Layout, of: Layout, rest: int) -> tuple[int, int, dict[str, Json]]:
    """Where the body of a frame begins and ends, and its value. Raises WireError."""
    length = int.from_bytes(frame[:_FRAME], "big", signed=True)
    if len(frame) < _FRAME or length != len(frame) - _FRAME:
        raise WireError(f"the frame length is {length}, but {len(frame) - _FRAME} bytes follow", 0)
    _, body = codec(header).decode_from(frame, _FRAME)
    end = len(frame) - rest
    value, stop = codec(of).decode_from(frame, body)
    if stop != end:
        raise WireError(f"the body ends at byte {stop} of {len(frame)}", stop)
    return body, end, value


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
