"""The picture of a state machine: one box for each state, one numbered line for each transition."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from wirebook.docgen.render.pictures.machine import machine
from wirebook.docgen.svg import check_svg
from wirebook.specs.kafka.flows import Flow, all_flows

SVG = "{http://www.w3.org/2000/svg}"


def drawn(flow: Flow) -> ElementTree.Element:
    text = str(machine(flow)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    check_svg(text.encode(), "machine.svg")
    return ElementTree.fromstring(text)


@pytest.mark.parametrize("flow", all_flows(), ids=lambda flow: str(flow.name))
def test_everything_is_drawn_and_said(flow: Flow) -> None:
    picture = drawn(flow)
    texts = [element.text for element in picture.iter(f"{SVG}text")]
    titles = [state.title for state in flow.states]
    assert texts[: len(titles)] == titles
    assert sorted(map(int, map(str, texts[len(titles) :]))) == [move.number for move in flow.transitions]
    assert len(list(picture.iter(f"{SVG}rect"))) == len(flow.states)
    # A line and its head for each transition, and for the start.
    assert len(list(picture.iter(f"{SVG}path"))) == 2 * (len(flow.transitions) + 1)
    description = picture.findtext(f"{SVG}desc")
    assert description is not None
    assert all(move.cause in description for move in flow.transitions)
    assert picture.findtext(f"{SVG}title") == f"State machine: {flow.title}"


@pytest.mark.parametrize("flow", all_flows(), ids=lambda flow: str(flow.name))
def test_it_fits_a_phone_and_no_numbers_overlap(flow: Flow) -> None:
    picture = drawn(flow)
    width, height = (float(picture.attrib[key]) for key in ("width", "height"))
    assert width <= 390
    centers = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in picture.iter(f"{SVG}circle")]
    assert all(0 < x < width and 0 < y < height for x, y in centers)
    for one, other in combinations(centers, 2):
        assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= 16, "numbers overlap"


def test_no_two_lines_end_at_one_place() -> None:
    for flow in all_flows():
        heads = re.findall(r'class="head" d="([^"]+)"', str(machine(flow)))
        assert len(heads) == len(set(heads)), flow.name
