"""A state machine as SVG: its states in a column, and each transition a line with its number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wirebook.specs.kafka.flows import Flow, Transition

_BOX_WIDTH, _BOX_HEIGHT, _ROW = 178, 40, 84  # of a box, and from one to the next
_TOP, _LANE, _ROUND, _HEAD, _DOT = 34, 24, 8, 7, 10


@dataclass(frozen=True, slots=True)
class _Line:
    """A transition between two rows beside the boxes: to the right if it leads down, else to the left."""

    transition: Transition
    first: int
    last: int

    @property
    def is_right(self) -> bool:
        """Whether it is drawn on the right; a state's way back to itself is drawn there, too."""
        return self.last >= self.first

    @property
    def rows(self) -> range:
        """The rows that it passes, with both ends."""
        return range(min(self.first, self.last), max(self.first, self.last) + 1)


def machine(flow: Flow) -> Markup:
    """The picture. Colors come from the page's style by class; a title and a description say it in words."""
    rows = {state.name: row for row, state in enumerate(flow.states)}
    lines = [_Line(move, rows[move.source], rows[move.target]) for move in flow.transitions]
    straight = [line for line in lines if line.last == line.first + 1]
    lanes_by_side = {
        is_right: _lanes([line for line in lines if line.is_right == is_right and line not in straight])
        for is_right in (True, False)
    }
    box_left = _LANE * (1 + max(lanes_by_side[False].values(), default=-1)) + _DOT + 4
    width = box_left + _BOX_WIDTH + _LANE * (1 + max(lanes_by_side[True].values(), default=-1)) + _DOT + 4
    height = _TOP + (len(rows) - 1) * _ROW + _BOX_HEIGHT + 8
    middle = box_left + _BOX_WIDTH / 2
    elements = [
        Markup('<svg class="wb-machine" role="img" viewBox="0 0 {} {}" width="{}" height="{}">').format(
            width, height, width, height
        ),
        Markup("<title>{}</title><desc>{}</desc>").format(
            f"State machine: {flow.title}", " ".join(_words(flow))
        ),
        Markup('<circle class="start" cx="{}" cy="8" r="6"/>').format(middle),
        _arrow(f"M{middle} 14V{_TOP}", middle, _TOP, "down"),
    ]
    for line in straight:
        top = _TOP + line.first * _ROW + _BOX_HEIGHT
        elements.append(
            _arrow(f"M{middle} {top}V{top + _ROW - _BOX_HEIGHT}", middle, top + _ROW - _BOX_HEIGHT, "down")
        )
    ports = _ports(side for lanes in lanes_by_side.values() for side in lanes)
    labels = [
        (middle, _TOP + line.first * _ROW + _BOX_HEIGHT + (_ROW - _BOX_HEIGHT) / 2 - 2, line)
        for line in straight
    ]
    for is_right, lanes in lanes_by_side.items():
        box_edge, outward = (box_left + _BOX_WIDTH, 1) if is_right else (box_left, -1)
        for line, lane in lanes.items():
            x = box_edge + outward * _LANE * (lane + 1)
            start_y, end_y = ports[line, True], ports[line, False]
            bend = min(_ROUND, abs(end_y - start_y) / 2) * (1 if end_y > start_y else -1)
            path = (
                f"M{box_edge} {start_y}H{x - outward * _ROUND}Q{x} {start_y} {x} {start_y + bend}"
                f"V{end_y - bend}Q{x} {end_y} {x - outward * _ROUND} {end_y}H{box_edge}"
            )
            elements.append(_arrow(path, box_edge, end_y, "left" if is_right else "right"))
            labels.append((x, (start_y + end_y) / 2, line))
    for name, row in rows.items():
        top = _TOP + row * _ROW
        elements.append(
            Markup(
                '<rect x="{}" y="{}" width="{}" height="{}"/><text class="state" x="{}" y="{}">{}</text>'
            ).format(
                box_left,
                top,
                _BOX_WIDTH,
                _BOX_HEIGHT,
                middle,
                top + _BOX_HEIGHT / 2 + 5,
                flow.state(name).title,
            )
        )
    for label_x, label_y, line in labels:
        elements.append(
            Markup('<circle class="number" cx="{}" cy="{}" r="{}"/><text x="{}" y="{}">{}</text>').format(
                label_x, label_y, _DOT, label_x, label_y + 4, line.transition.number
            )
        )
    elements.append(Markup("</svg>"))
    return Markup("").join(elements)


def _words(flow: Flow) -> Iterator[str]:
    yield f"It begins in {flow.states[0].title}."
    for move in flow.transitions:
        source, target = flow.state(move.source).title, flow.state(move.target).title
        yield f"{move.number}: from {source} to {target}: {move.cause}"


def _lanes(lines: Sequence[_Line]) -> dict[_Line, int]:
    """The lane of each line, 0 beside the boxes: short lines inside, and none of a lane share a row."""
    occupied: list[set[int]] = []
    lanes: dict[_Line, int] = {}
    for line in sorted(lines, key=lambda each: (len(each.rows), each.first)):
        gaps = set(line.rows)
        lane = next((number for number, used in enumerate(occupied) if not used & gaps), len(occupied))
        if lane == len(occupied):
            occupied.append(set())
        occupied[lane] |= gaps
        lanes[line] = lane
    return lanes


def _ports(lines: Iterable[_Line]) -> Mapping[tuple[_Line, bool], float]:
    """The height at which each line leaves its box (True) and reaches its other one (False).

    Those of a side are spread over it: lines that lead up are above those that lead down.
    """
    ends: dict[tuple[int, bool], list[tuple[int, _Line, bool]]] = {}
    for line in lines:
        loop = line.first == line.last
        ends.setdefault((line.first, line.is_right), []).append((line.last - line.first, line, True))
        back = 1 if loop else line.first - line.last
        ends.setdefault((line.last, line.is_right), []).append((back, line, False))
    heights: dict[tuple[_Line, bool], float] = {}
    for (row, _), listed in ends.items():
        # Lanes of longer lines are outside. In this order, none crosses the lane of another.
        ordered = sorted(listed, key=lambda end: (end[0] >= 0, -end[0]))
        for place, (_, line, leaves) in enumerate(ordered):
            heights[line, leaves] = _TOP + row * _ROW + _BOX_HEIGHT * (place + 1) / (len(ordered) + 1)
    return heights


def _arrow(path: str, x: float, y: float, direction: str) -> Markup:
    head = {
        "down": f"M{x - 5} {y - _HEAD}L{x} {y}L{x + 5} {y - _HEAD}",
        "left": f"M{x + _HEAD} {y - 5}L{x} {y}L{x + _HEAD} {y + 5}",
        "right": f"M{x - _HEAD} {y - 5}L{x} {y}L{x - _HEAD} {y + 5}",
    }[direction]
    return Markup('<path d="{}"/><path class="head" d="{}"/>').format(path, head)
