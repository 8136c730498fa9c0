"""Names of releases: how they are split, ordered and grouped into lines, and which tags are
none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.releases import ReleaseName, line_of, pick_releases

IN_ORDER = [
    "0.7.0-incubating-candidate-9",
    "0.8.0-beta1",
    "0.8.0",
    "0.8.2.2",
    "v0.9.0.0",
    "0.10.0.0",
    "kafka-1.0.0",
    "1.0.2",
    "release/2.0.0",
    "2.2.0-rc2",
    "2.2.0-rc10",
    "2.2.0",
    "2.10.0a1",
    "2.10.0b2",
    "2.10.0.dev1",
    "2.10.0rc1",
    "2.10",
    "3.0.0-SNAPSHOT",
    "3.0.0.Final",
    "4.0.0+build.7",
    "4.0.1",
    "4.1.0-1",
    "4.1.0-rc0",
]

# Tags as projects write them: the prefix, the numbers, the line, and whether it is a pre-release.
STYLES = [
    # Apache Kafka
    ("3.9.0", "", (3, 9, 0), (3, 9), False),
    ("0.10.2.1", "", (0, 10, 2, 1), (0, 10, 2), False),
    ("3.7.0-rc1", "", (3, 7, 0), (3, 7), True),
    ("kafka-2.2.0-candidate", "kafka-", (2, 2, 0), (2, 2), True),
    ("kafka-0.7.0-incubating-candidate-9", "kafka-", (0, 7, 0), (0, 7, 0), True),
    ("0.7.2-incubating", "", (0, 7, 2), (0, 7, 2), False),
    ("4.4-dev", "", (4, 4), (4, 4), True),
    ("3.7-IV4", "", (3, 7), (3, 7), True),
    # Confluent
    ("v7.6.0-ccs", "v", (7, 6, 0), (7, 6), False),
    ("v7.6.0-ce", "v", (7, 6, 0), (7, 6), False),
    ("v7.9.0-0-ccs", "v", (7, 9, 0), (7, 9), True),
    ("6.0.0-ccs-SNAPSHOT", "", (6, 0, 0), (6, 0), True),
    ("0.10.2.1-cp1", "", (0, 10, 2, 1), (0, 10, 2), False),
    # Redpanda, AutoMQ
    ("v23.3.1", "v", (23, 3, 1), (23, 3), False),
    ("v24.1.1-rc2", "v", (24, 1, 1), (24, 1), True),
    ("1.0.0-rc0", "", (1, 0, 0), (1, 0), True),
    ("1.2.0", "", (1, 2, 0), (1, 2), False),
    # Calendar versions
    ("2024.03.1", "", (2024, 3, 1), (2024, 3), False),
    ("2024-03-01", "", (2024, 3, 1), (2024, 3), False),
    ("2024-03-01-rc.2", "", (2024, 3, 1), (2024, 3), True),
    ("release-2024-03-01", "release-", (2024, 3, 1), (2024, 3), False),
    ("24.04", "", (24, 4), (24, 4), False),
    # Words before a release, with and without signs
    ("1.2.0-alpha", "", (1, 2, 0), (1, 2), True),
    ("1.2.0-beta2", "", (1, 2, 0), (1, 2), True),
    ("1.2.0b2", "", (1, 2, 0), (1, 2), True),
    ("1.2.0.dev3", "", (1, 2, 0), (1, 2), True),
    ("1.2.0.M1", "", (1, 2, 0), (1, 2), True),
    ("1.2.0-SNAPSHOT", "", (1, 2, 0), (1, 2), True),
    ("1.2.0-preview", "", (1, 2, 0), (1, 2), True),
    ("1.2.0~rc1", "", (1, 2, 0), (1, 2), True),
    ("1.2.0-my-words", "", (1, 2, 0), (1, 2), True),
    # Words of the release itself, and after it
    ("1.0.0.Final", "", (1, 0, 0), (1, 0), False),
    ("1.0.0-GA", "", (1, 0, 0), (1, 0), False),
    ("1.0.0.RELEASE", "", (1, 0, 0), (1, 0), False),
    ("1.0.0+build.7", "", (1, 0, 0), (1, 0), False),
    ("1.0.0-hotfix", "", (1, 0, 0), (1, 0), False),
    ("1.0.0-hotfix2", "", (1, 0, 0), (1, 0), False),
    ("1.0.0.SP1", "", (1, 0, 0), (1, 0), False),
    ("1.0.0.post1", "", (1, 0, 0), (1, 0), False),
    ("1.0.0-hotfix-rc1", "", (1, 0, 0), (1, 0), True),
    # Prefixes
    ("v1.2", "v", (1, 2), (1, 2), False),
    ("V1.2", "V", (1, 2), (1, 2), False),
    ("k8s-1.10.0", "k8s-", (1, 10, 0), (1, 10), False),
    ("log4j-2.17.1", "log4j-", (2, 17, 1), (2, 17), False),
    ("release-1.2", "release-", (1, 2), (1, 2), False),
    ("rel/2.0.0", "rel/", (2, 0, 0), (2, 0), False),
    ("otter-v1.2", "otter-v", (1, 2), (1, 2), False),
    ("api-v2-1.3.0", "api-v2-", (1, 3, 0), (1, 3), False),
    ("pkg@4.0.1", "pkg@", (4, 0, 1), (4, 0), False),
    ("@scope/pkg@v4.0.0-rc.1", "@scope/pkg@v", (4, 0, 0), (4, 0), True),
    ("kafka-3", "kafka-", (3,), (3, 0), False),
]


def parsed(name: str) -> ReleaseName:
    """The name of what is a release."""
    release = ReleaseName.parse(name)
    assert release is not None
    return release


@pytest.mark.parametrize(
    ("name", "prefix", "numbers", "line", "is_prerelease"), STYLES, ids=[row[0] for row in STYLES]
)
def test_a_name_is_split_as_projects_mean_it(
    name: str, prefix: str, numbers: tuple[int, ...], line: tuple[int, ...], is_prerelease: bool
) -> None:
    release = parsed(name)
    assert (release.prefix, release.numbers) == (prefix, numbers)
    assert release.line == line_of(name) == line
    assert release.is_prerelease is is_prerelease
    assert str(release) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "v",
        "latest",
        "main",
        "4f2a9c1",
        "1.0x",
        "1.0.x",
        "k8s",
        "nightly-x",
        "1.0-",
        "1.0--",
        "٣.٩",
    ],
)
def test_what_is_no_version_is_none(name: str) -> None:
    assert ReleaseName.parse(name) is None
    assert line_of(name) is None


def test_a_line_is_named_as_its_releases_write_it() -> None:
    names = ["3.7.1", "2.2-IV1", "0.10.2.1", "v24.04.1", "2024-03-01", "kafka-3"]
    assert [parsed(name).line_name for name in names] == [
        "3.7",
        "2.2",
        "0.10.2",
        "24.04",
        "2024.03",
        "3",
    ]


@pytest.mark.parametrize(
    "names",
    [
        ["1.0-alpha", "1.0-beta1", "1.0-beta2", "1.0.dev1", "1.0-rc", "1.0-rc0", "1.0-rc.1.2"],
        ["1.0-hotfix-rc1", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0-hotfix", "1.0-hotfix10", "1.0.1"],
        ["1.0a1", "1.0b1", "1.0c1", "1.0.M1", "1.0.RELEASE", "1.0.SP1", "1.0.SP2"],
        ["v7.9.0-0-ccs", "v7.9.0-10-ccs", "v7.9.0-ccs", "v7.9.0-ccs-hotfix1", "v7.9.1-ccs"],
    ],
    ids=lambda names: names[0],
)
def test_words_rank_a_release_around_its_number(names: list[str]) -> None:
    backwards = [*reversed(names)]
    assert sorted(backwards, key=parsed) == names
    assert len({parsed(name).order for name in names}) == len(names)


@pytest.mark.parametrize(
    "names",
    [["4.0", "v4.0.0", "4.0.0.Final", "kafka-4", "4.0+x"], ["1.0-rc1", "1.0.0rc1", "v1.0.RC1"]],
)
def test_names_of_one_version_are_equal_in_order(names: list[str]) -> None:
    assert len({parsed(name).order for name in names}) == 1
    assert sorted(map(parsed, names)) == [parsed(name) for name in sorted(names)]


NUMBERS = st.lists(st.integers(0, 99), min_size=2, max_size=5).map(
    lambda numbers: ".".join(map(str, numbers))
)
BEFORE = st.sampled_from(
    ["-rc1", "-alpha", "b2", "-SNAPSHOT", ".CR1", "-preview", "-0-ccs", "-any-word", "~rc1"]
)
AFTER = st.sampled_from(["-hotfix", "-hotfix2", ".SP1", "-cp1", ".post3"])
SAME = st.sampled_from(["", ".Final", "-GA", ".RELEASE", "+build.5", "-ccs"])
PREFIXES = st.sampled_from(["", "v", "k8s-", "release-", "rel/", "otter-v"])
NAMES = st.builds("{}{}{}".format, PREFIXES, NUMBERS, st.one_of(BEFORE, AFTER, SAME))


@given(st.lists(NAMES.map(parsed), min_size=3, max_size=3))
def test_names_have_one_total_order(releases: list[ReleaseName]) -> None:
    first, second, third = releases
    assert [first < second, first == second, first > second].count(True) == 1
    assert (first <= second) == (first < second or first == second)
    low, middle, high = sorted(releases)
    assert low <= middle <= high
    assert low <= high
    assert (first == third) == (str(first) == str(third))


@given(NUMBERS, BEFORE, SAME, AFTER, PREFIXES)
def test_a_release_is_between_its_pre_releases_and_its_hotfixes(
    numbers: str, before: str, same: str, after: str, prefix: str
) -> None:
    names = [parsed(f"{prefix}{numbers}{word}") for word in (before, same, after)]
    assert names[0].order < names[1].order < names[2].order
    assert [name.is_prerelease for name in names] == [True, False, False]
    assert {name.line for name in names} == {parsed(numbers).line}
    following = parsed(f"{numbers}.1")
    assert names[2] < following


@given(NAMES.map(parsed), NAMES.map(parsed))
def test_a_line_is_a_run_of_the_order(one: ReleaseName, other: ReleaseName) -> None:
    low, high = sorted((one, other))
    assert low.line <= high.line
    assert len(low.line) == (3 if low.numbers[0] == 0 else 2)
    if one.order[0] == other.order[0]:
        assert one.line == other.line


@given(st.text(max_size=30))
def test_any_text_is_a_version_or_none(name: str) -> None:
    release = ReleaseName.parse(name)
    assert release is None or str(release) == name


@given(st.permutations(IN_ORDER))
def test_releases_stand_in_version_order(names: list[str]) -> None:
    releases, early = pick_releases(names, ["*"])
    assert sorted(releases + early, key=IN_ORDER.index) == IN_ORDER
    assert [sorted(each, key=IN_ORDER.index) for each in (releases, early)] == [releases, early]


def test_pre_releases_are_known_as_such() -> None:
    _, prereleases = pick_releases(IN_ORDER, ["*"])
    assert "2.2.0-rc2" in prereleases
    assert "3.0.0-SNAPSHOT" in prereleases
    assert not set(prereleases) & {"0.8.0", "2.2.0", "3.0.0.Final", "4.0.0+build.7", "kafka-1.0.0"}


def test_names_are_in_the_order_of_time_if_one_is_no_version() -> None:
    names = ["2.0", "1.0", "latest", "2024-06", "REL1_2", "3.0-rc1"]
    assert pick_releases(names, ["*"]) == (names[:-1], ["3.0-rc1"])
    assert pick_releases(names, ["*"], ["l*"]) == ([*names[:2], *names[3:]], ["latest"])


def test_only_names_that_match_are_looked_at() -> None:
    picked = pick_releases(["1.0", "2.0", "v2.0", "latest"], ["[0-9]*"])
    assert picked == (["1.0", "2.0"], [])
    assert pick_releases(["release/1.0"], ["release/*"]) == (["release/1.0"], [])


@pytest.mark.parametrize(
    "name", ["9" * 5000, "1." * 5000 + "1", "1.0-" + "9" * 5000, "-" * 5000, "1.0rc" + "1" * 5000]
)
def test_names_that_nobody_gives_are_survived(name: str) -> None:
    assert pick_releases([name, "1.0"], ["*"])[0].count("1.0") == 1


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=5),
    st.lists(st.integers(0, 99), min_size=1, max_size=5),
)
def test_numbers_decide_as_numbers(one: list[int], other: list[int]) -> None:
    padded = [numbers + [0] * (5 - len(numbers)) for numbers in (one, other)]
    first, second = parsed(".".join(map(str, one))), parsed(".".join(map(str, other)))
    assert (first.order == second.order) == (padded[0] == padded[1])
    assert (first.order < second.order) == (padded[0] < padded[1])


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (None, {"3.7.0-rc1", "3.8.0-acme1"}),
        (("*-rc*",), {"3.7.0-rc1"}),
        (("*-rc*", "v7.*"), {"3.7.0-rc1", "v7.6.0-ccs"}),
        ((), set()),
    ],
)
def test_a_project_says_what_its_prereleases_are(
    globs: tuple[str, ...] | None, expected: set[str]
) -> None:
    names = ["3.7.0-rc1", "3.7.0", "3.8.0-acme1", "v7.6.0-ccs", "2024.03.1"]
    releases, early = pick_releases(names, ["*"], globs)
    assert set(early) == expected
    assert set(releases) == set(names) - expected
