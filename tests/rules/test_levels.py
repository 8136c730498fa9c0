"""Protocol levels over time: which are released, and when what is deprecated may be removed."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from wirebook.rules.levels import ProtocolLevels, Unit, Window
from wirebook.rules.released import Baseline, Released
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Protocol


def registry(*levels: tuple[str, str, str | None, str]) -> Registry:
    """A registry: the version, the release, the day and the description of each level."""
    return Registry(tuple(ApiVersion(number, *level) for number, level in enumerate(levels)))


def baselines(*names: str, **days: str) -> Released:
    known = {name.replace("_", "."): day for name, day in days.items()}
    return Released.of([Baseline(name, Protocol(()), known.get(f"v{name}", "")) for name in names])


# Two levels of 3.7, one of each line after it; 4.0 has no description, so no release has it.
KNOWN = registry(
    ("3.7-IV0", "3.7", "2020-01-01", "One."),
    ("3.7-IV1", "3.7", None, "Two."),
    ("3.8-IV0", "3.8", "2020-03-01", "Three."),
    ("3.9-IV0", "3.9", None, "Four."),
    ("4.0-IV0", "4.0", None, ""),
)


def levels(
    window: str | None = None, released: Released | None = None, known: Registry = KNOWN
) -> ProtocolLevels:
    return ProtocolLevels.of(known, known, released, None if window is None else Window.parse(window))


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("1 release", Window(1, Unit.RELEASES)),
        ("1 releases", Window(1, Unit.RELEASES)),
        (" 12 days ", Window(12, Unit.DAYS)),
        ("99999 day", Window(99999, Unit.DAYS)),
        ("100000 days", None),
        ("0 days", None),
        ("1 dayss", None),
        ("one day", None),
        ("1.5 days", None),
    ],
)
def test_a_window_is_a_number_and_a_unit(text: str, window: Window | None) -> None:
    assert Window.parse(text) == window


@pytest.mark.parametrize(
    ("window", "text"), [("2 day", "2 days"), ("1 releases", "1 release"), ("1 days", "1 day")]
)
def test_a_window_is_shown_in_the_singular_or_in_the_plural(window: str, text: str) -> None:
    assert str(Window.parse(window)) == text


def test_a_level_is_released_if_the_old_registry_describes_it() -> None:
    known = levels()
    shown = {name: known.is_released(name) for name in ("3.7-IV0", "3.9-IV0", "4.0-IV0", "3.9", "4.0", "5.0")}
    assert shown == {
        "3.7-IV0": True,
        "3.9-IV0": True,
        "4.0-IV0": False,
        "3.9": True,
        "4.0": False,
        "5.0": False,
    }
    assert known.released == 3


def test_a_level_is_released_if_a_baseline_has_it() -> None:
    plain = registry(("3.7-IV0", "3.7", None, ""), ("3.8-IV0", "3.8", None, ""), ("3.9-IV0", "3.9", None, ""))
    assert levels(known=plain).released == -1
    assert not levels(known=plain).is_released("3.7-IV0")
    assert levels(known=plain, released=baselines("3.8.1", "3.7.0")).released == 1
    assert levels(known=plain, released=baselines("2.0.0")).released == -1
    # The baseline is newer than the last level that is described.
    assert levels(released=baselines("4.0.0")).released == 4
    assert levels(released=baselines("3.7.0")).released == 3


def test_without_an_old_registry_no_level_is_released() -> None:
    known = ProtocolLevels.of(None, KNOWN, baselines("3.8.0"), None)
    assert known.released == -1
    assert not known.is_released("3.7-IV0")
    assert known.ids == {"3.7-IV0": 0, "3.7-IV1": 1, "3.8-IV0": 2, "3.9-IV0": 3, "4.0-IV0": 4}
    assert known.known == {"3.7", "3.8", "3.9", "4.0"}
    assert known.releases == ("3.8.0",)


def test_what_both_registries_say_of_a_level_is_that_of_the_old_one() -> None:
    old = registry(("3.7-IV0", "3.7", "2020-01-01", ""))
    new = registry(("3.7-IV0", "3.6", "2019-01-01", ""), ("3.8-IV0", "3.8", None, ""))
    known = ProtocolLevels.of(old, new, None, None)
    assert known.ids == {"3.7-IV0": 0, "3.8-IV0": 1}
    assert known.lines == {"3.7-IV0": "3.7", "3.8-IV0": "3.8"}
    assert known.dates == {"3.7-IV0": "2020-01-01"}
    assert known.known == {"3.7"}


def test_without_a_registry_nothing_is_known() -> None:
    known = ProtocolLevels.of(None, None, None, Window(1, Unit.DAYS))
    assert known == ProtocolLevels(window=Window(1, Unit.DAYS))
    assert known.day("1.0") == ""
    assert known.id_of("3.7", 9) == 9
    assert ProtocolLevels().day("1.0") == ""


@pytest.mark.parametrize(
    ("name", "number"),
    [("3.7-IV0", 0), ("3.7-IV1", 1), ("3.7", 1), ("3.7.2", 1), ("v3.8.0", 2), ("3.6", -7), ("latest", -7)],
)
def test_a_release_counts_as_the_last_level_of_its_line(name: str, number: int) -> None:
    assert levels().id_of(name, -7) == number


@pytest.mark.parametrize(
    ("removed", "window", "since"),
    [
        ("3.7-IV1", "1 release", "3.8"),
        ("3.8-IV0", "1 release", ""),
        ("3.8-IV0", "2 releases", "3.9"),
        ("3.9", "2 releases", ""),
        ("3.9", "3 releases", "4.0"),
        ("4.0", "3 releases", ""),
        ("4.0", "4 releases", "the fourth release after 3.7"),
        ("4.0", "5 releases", "the fifth release after 3.7"),
        ("4.0", "6 releases", "the sixth release after 3.7"),
        ("4.0", "7 releases", "the 7th release after 3.7"),
    ],
)
def test_releases_are_those_of_the_registry(removed: str, window: str, since: str) -> None:
    assert levels(window).too_soon("3.7-IV0", removed) == since
    assert levels(window).too_soon("3.7", removed) == since


def test_two_levels_are_enough_to_count_releases() -> None:
    two = registry(("3.7-IV0", "3.7", None, ""), ("3.8-IV0", "3.8", None, ""))
    assert levels("2 releases", known=two).too_soon("3.7", "3.8") == "the second release after 3.7"


def test_a_release_before_the_registry_counts_as_the_one_before_its_first() -> None:
    assert levels("1 release").too_soon("2.0", "3.7-IV0") == ""
    assert levels("2 releases").too_soon("2.0", "3.7-IV0") == "3.8"


def test_a_level_that_the_registry_does_not_have_is_too_soon() -> None:
    assert levels("7 releases").too_soon("3.7-IV0", "5.0") == (
        "7 releases after 3.7-IV0 (the registry does not have 5.0)"
    )
    unknown = "1 release after first (the registry does not have first)"
    assert levels("1 release").too_soon("first", "3.7-IV0") == unknown


def test_without_a_window_nothing_is_too_soon() -> None:
    assert levels().too_soon("3.7-IV0", "3.7-IV0") == ""
    assert levels().too_soon_after("3.7.0") == ""


def test_the_lines_are_in_the_order_of_the_ids() -> None:
    """Not in that of the registries: the new one may list a level first that comes last."""
    last = ApiVersion(9, "4.1-IV0", "4.1")
    known = ProtocolLevels.of(
        registry(("3.9-IV0", "3.9", None, ""), ("4.0-IV0", "4.0", None, "")),
        Registry((last, *KNOWN.api_versions)),
        None,
        Window(1, Unit.RELEASES),
    )
    assert known.too_soon("3.9-IV0", "4.1-IV0") == ""
    assert known.too_soon("4.0-IV0", "3.9-IV0") == "the first release after 4.0"


@pytest.mark.parametrize(
    ("deprecated", "removed", "days", "since"),
    [
        ("3.7-IV0", "3.8-IV0", 60, ""),  # from the first of January to the first of March
        ("3.7-IV0", "3.8-IV0", 61, "2020-03-02"),
        ("3.7-IV0", "3.9-IV0", 61, ""),  # up to today, where the day of the removal is not known
        ("3.8-IV0", "3.7-IV0", 1, "2020-03-02"),
        (
            "3.9-IV0",
            "4.0-IV0",
            2,
            "2 days after the release of 3.9-IV0, which has no date in the registry and no tag",
        ),
    ],
)
def test_days_are_those_between_two_levels(deprecated: str, removed: str, days: int, since: str) -> None:
    assert levels(f"{days} days").too_soon(deprecated, removed) == since


def test_a_level_without_a_day_has_that_of_the_first_release_of_its_line() -> None:
    released = baselines(
        "3.8.0",
        "3.9.2",
        "3.9.0",
        "3.9.1",
        "latest",
        v3_8_0="2000-01-01",
        v3_9_0="2021-02-03",
        v3_9_1="2021-02-01",
    )
    known = levels("10 days", released)
    assert known.too_soon("3.9-IV0", "3.7-IV0") == "2021-02-11"
    assert known.too_soon("3.9", "3.7-IV0") == "2021-02-11", "a release has the day of its line"
    assert known.too_soon("3.8-IV0", "3.7-IV0") == "2020-03-11", "the day of the registry"


def test_days_after_a_release_end_today() -> None:
    then = (date.today() - timedelta(days=10)).isoformat()
    released = baselines("3.8.1", "1.0.0", v3_8_1=then)
    assert levels("10 days", released).too_soon_after("3.8.1") == ""
    assert (
        levels("11 days", released).too_soon_after("3.8.1") == (date.today() + timedelta(days=1)).isoformat()
    )
    assert (
        levels("11 days", released).too_soon_after("1.0.0") == "11 days after 1.0.0, whose day is not known"
    )
    unnamed = "11 days after the release that deprecates them, whose day is not known"
    assert levels("11 days", released).too_soon_after("") == unnamed


def test_a_release_without_a_day_has_that_of_its_line_in_the_registry() -> None:
    dated = registry(("3.7-IV0", "3.7", date.today().isoformat(), ""))
    tomorrow = (date.today() + timedelta(days=1)).isoformat()
    assert levels("1 day", known=dated).too_soon_after("3.7") == tomorrow
    assert levels("1 day", known=dated).too_soon_after("3.7.2") == tomorrow
    assert levels("1 day", known=dated).too_soon_after("3.8.0") == "1 day after 3.8.0, whose day is not known"


@pytest.mark.parametrize(
    ("release", "window", "since"),
    [
        ("3.8.0", "1 release", ""),  # 3.9 came after it
        ("3.8.0", "2 releases", ""),  # the next one is the second
        ("3.8.0", "3 releases", "the third release after 3.8"),
        ("3.9.1", "1 release", ""),
        ("3.9.1", "2 releases", "the second release after 3.9"),
        ("3.10.0", "1 release", ""),
        ("", "1 release", "the first release after the one that deprecates it"),
    ],
)
def test_releases_are_counted_by_line_up_to_the_next_one(release: str, window: str, since: str) -> None:
    released = baselines("3.9.0", "3.8.0", "3.8.1", "3.9.1")
    assert levels(window, released).too_soon_after(release) == since


def test_without_baselines_the_release_is_the_only_line() -> None:
    assert levels("1 release").too_soon_after("3.8.0") == ""
    assert levels("2 releases").too_soon_after("3.8.0") == "the second release after 3.8"
