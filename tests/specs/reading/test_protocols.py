"""The tables [[protocol]] of a configuration: what they claim, and their errors with their lines."""

from __future__ import annotations

import pytest

from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.reading import protocols
from wirebook.specs.reading.protocols import Protocols, read_protocols, tables_of
from wirebook.specs.syntax.tomltext import read_toml


def extended(name: str) -> Profile:
    """The profile of a name, as a configuration looks it up."""
    if name != "kafka":
        raise InputError(f'there is no profile "{name}" to extend')
    return embedded_profile(name)


def read(text: str) -> Protocols:
    """The protocols of a configuration."""
    document = read_toml(text, "w.toml")
    tables = tables_of(document.data)
    assert tables is not None
    return read_protocols(document, tables, ("protocol",), extended)


TWO = """[[protocol]]
name = "a-1"
paths = ["a/*.json", "both/*.json"]
profile = "kafka"

[[protocol]]
name = "b"
paths = "b/*.json"
frame_length = 2

[[protocol]]
name = "rest"
"""


def test_a_spec_belongs_to_the_protocol_that_claims_it() -> None:
    found = read(TWO)
    assert [claim.name for claim in found.claims] == ["a-1", "b", "rest"]
    assert [found.owner(path) for path in ("a/F.json", "b/F.json", "c/F.json")] == ["a-1", "b", "rest"]
    assert [found.claimed(path) for path in ("a/F.json", "c/F.json")] == ["a-1", None]
    assert found.find("b") == found.claims[1]
    assert found.find("c") is None
    first, second, rest = found.claims
    assert first.profile is not None
    assert (first.profile.name, first.profile.frame_length) == ("a-1", 4)
    assert second.profile is not None
    assert second.profile.frame_length == 2
    assert rest.profile is None
    assert [place and place.line for place in first.places] == [3, 3]
    assert not any(claim.places for claim in found.meant)
    assert read(TWO.partition("\n\n")[0]).owner("c/F.json") == ""


def test_a_spec_that_two_protocols_claim_is_refused_unless_contested() -> None:
    found = read(TWO.replace('"b/*.json"', '["b/*.json", "both/*"]'))
    with pytest.raises(InputError, match=r'both/F\.json belongs to two protocols: "a-1" claims it') as caught:
        found.owner("both/F.json")
    assert str(caught.value).startswith("w.toml:8:22: ")
    assert found.owner("both/F.json", contested=True) == "a-1"


@pytest.mark.parametrize(
    ("paths", "position"),
    [
        (("messages", "weather/messages"), "3:10"),
        (("/weather", "messages/"), "6:10"),
        (("/weather", "m*"), ""),
    ],
)
def test_a_name_that_matches_at_any_depth_is_the_likely_mistake(
    paths: tuple[str, str], position: str
) -> None:
    first, second = (f'[[protocol]]\nname = "p{len(path)}"\npaths = ["{path}"]\n' for path in paths)
    with pytest.raises(InputError) as caught:
        read(first + second).owner("weather/messages/Wind.json")
    name = next(path for path in paths if "weather" not in path)
    hint = f'"{name}" matches at any depth, "/{name}" only beside this file'
    assert (hint in str(caught.value)) == bool(position)
    assert str(caught.value).startswith(f"w.toml:{position or '6:10'}: weather/messages/Wind.json belongs to")


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ('name = "a"\nnmae = 1', '3:1: there is no key "nmae" here; did you mean "name"?'),
        ('name = "A"', '2:1: a protocol needs a "name" of lowercase letters'),
        ('name = "a_b"', '2:1: a protocol needs a "name" of lowercase letters'),
        ("paths = []", '1:1: a protocol needs a "name" of lowercase letters'),
        ('name = "a"\npaths = 1', '3:1: "paths" must be a list of strings'),
        ('name = "a"\npaths = ["b", 1]', '3:1: "paths" must be a list of strings'),
        ('name = "a"\npaths = [" "]', '3:1: "paths" must be a list of strings'),
        ('name = "a"\npaths = []', '3:1: "paths" is empty'),
        ('name = "a"\nprofile = 1', '3:1: "profile" must be the path of a profile.toml'),
        ('name = "a"\nprofile = " "', '3:1: "profile" must be the path of a profile.toml'),
        ('name = "a"\nprofile = "x"', '3:11: there is no profile "x"'),
        ('name = "a"\nprofile = "kafka"\nframe_length = 2', '4:1: "frame_length" belongs in the profile'),
        ('name = "a"\n[[protocol]]\nname = "a"', '4:1: there are two protocols "a"'),
        ('name = "a"\n[[protocol]]\nname = "b"', '3:1: name the "paths" of "b"'),
    ],
)
def test_an_error_has_its_place(table: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        read(f"[[protocol]]\n{table}")
    assert str(caught.value).startswith(f"w.toml:{error}")
    assert " to extend" not in str(caught.value)


def test_protocols_and_globs_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocols, "MAX_GLOBS", 6)
    assert len(read(TWO).claims) == 3
    monkeypatch.setattr(protocols, "MAX_GLOBS", 5)
    with pytest.raises(InputError, match="more than 5 protocols and globs"):
        read(TWO)


def test_only_a_list_of_tables_is_several_protocols() -> None:
    assert tables_of({}) is tables_of({"protocol": "kafka"}) is tables_of({"protocol": []}) is None
    assert tables_of({"protocol": [{}]}) == [{}]
    document = read_toml('protocol = ["a"]', "w.toml")
    with pytest.raises(InputError, match=r"write \[\[protocol\]\] above each of them"):
        read_protocols(document, ["a"], ("protocol",), extended)
