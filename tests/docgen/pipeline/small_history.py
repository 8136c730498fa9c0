"""A history of few releases."""

from __future__ import annotations

import random

from tests.docgen.histories import (
    Spec,
    field,
    request,
    response,
)
from tests.docgen.sites import hostile_spec

RELEASES = ("1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.2.0", "2.0.0", "2.0.1", "2.1.0")


def since(release: str) -> tuple[str, ...]:
    """That release and all later ones of our list, by number."""
    return RELEASES[RELEASES.index(release) :]


def history() -> dict[str, list[Spec]]:
    """What each release holds: an API for each thing that can happen, and many that do what they
    like."""
    found: dict[str, list[Spec]] = {name: [] for name in RELEASES}

    def add(spec: Spec, *names: str) -> None:
        for name in names:
            found[name].append(spec)

    add(request("Steady", 1, "0-1", field("A")), *RELEASES)
    add(response("Steady", 1, "0-1", field("A")), *RELEASES)

    add(request("Grow", 2, "0", field("A")), "1.0.0", "1.0.1")
    add(request("Grow", 2, "0-1", field("A"), latestVersionUnstable=True), "1.1.0", "1.1.1")
    add(request("Grow", 2, "0-1", field("A")), "1.2.0")
    add(request("Grow", 2, "0-2", field("A"), flexibleVersions="2+"), "2.0.0", "2.0.1", "2.1.0")

    add(
        request("Leave", 3, "0-3", field("A", versions="2+"), field("B", versions="0-1")),
        "1.0.0",
        "1.0.1",
    )
    add(
        request(
            "Leave",
            3,
            "0-3",
            field("A", versions="2+"),
            field("B", versions="0-1"),
            deprecatedVersions="0-1",
        ),
        *("1.1.0", "1.1.1", "1.2.0"),
    )
    add(request("Leave", 3, "2-3", field("A", versions="2+")), "2.0.0")
    add(
        request("Leave", 3, "0-3", field("A", versions="2+"), field("B", versions="0-1")),
        "2.0.1",
        "2.1.0",
    )

    add(request("Gone", 4, "0-2", field("A")), *RELEASES[:5])
    add(request("Gone", 4, "none"), *since("2.0.0"))
    add(request("Vanish", 5, "0", field("A")), *RELEASES[:5])

    for name in RELEASES:
        late, later, last = name >= "1.1.0", name >= "1.2.0", name >= "2.0.0"
        fields = [
            field("Nullable", "string", nullableVersions="1+" if late else "none"),
            field("Default", default="5" if last else "3"),
            field("NewName" if late else "OldName", "[]Inner", fields=[field("Deep")]),
        ]
        if later:
            fields.append(field("Tagged", versions="1+", tag=0, taggedVersions="1+"))
        if not last:
            fields.append(field("Dropped", "string"))
        add(request("Fields", 6, "0-1", *fields, flexibleVersions="1+"), name)

    add(request("Backport", 7, "0", field("A")), "1.0.0", "1.0.1", "1.1.0")
    add(request("Backport", 7, "0-1", field("A")), "1.1.1", *since("1.2.0"))
    add(request("Branch", 8, "0", field("A")), *(name for name in RELEASES if name != "1.0.1"))
    add(request("Branch", 8, "0", field("A"), field("Short")), "1.0.1")
    add(request("Before", 9, "0", field("A")), *RELEASES[:5])
    add(request("After", 9, "0", field("A")), *since("2.0.0"))
    add(request("Spared", 10, "0", field("A")), "1.0.0", "1.0.1", *since("2.0.1"))
    add(
        request("Spared", 10, "0", field("A"), deprecatedVersions="0"),
        "1.1.0",
        "1.1.1",
        "1.2.0",
        "2.0.0",
    )

    key = {
        "type": "data",
        "name": "ThingKey",
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": [field("A")],
    }
    add(key, *RELEASES[:5])
    add(key | {"type": "coordinator-key", "apiKey": 3}, *since("2.0.0"))

    # Texts that mean harm come out of Spark as they went in.
    add(hostile_spec(names=False), *RELEASES)

    for number in range(100, 150):
        at_random(number, found)
    return found


def at_random(key: int, found: dict[str, list[Spec]]) -> None:
    """An API whose versions and fields come and go as the dice fall, the same at every run."""
    dice = random.Random(key)

    def throw() -> list[Spec]:
        if dice.random() < 0.15:
            return []
        low = dice.randrange(3)
        high = low + dice.randrange(4)
        flexible = dice.choice([None, low, low + 1, high])
        fields = []
        for name in "ABCDE":
            first = dice.randrange(high + 1)
            versions = dice.choice(
                [f"{first}+", f"{first}-{dice.randrange(first, high + 1)}", "0+"]
            )
            more: Spec = {"default": str(dice.randrange(3))} if dice.random() < 0.4 else {}
            kind = "int32"
            if not more and dice.random() < 0.5:
                kind = "string"
                more["nullableVersions"] = dice.choice(["none", "0+", f"{first}+"])
            if flexible is not None and dice.random() < 0.3:
                versions = f"{max(flexible, first)}+"
                more |= {"tag": ord(name) - 65, "taggedVersions": versions}
            if dice.random() < 0.7:
                fields.append(field(name, kind, versions, **more))
        valid = "none" if dice.random() < 0.1 else f"{low}-{high}" if high > low else str(low)
        more = {"flexibleVersions": "none" if flexible is None else f"{flexible}+"}
        if dice.random() < 0.3:
            more["latestVersionUnstable"] = True
        if dice.random() < 0.3:
            more["deprecatedVersions"] = f"0-{dice.randrange(high + 1)}"
        made = [request("Chance", key, valid, *fields, **more)]
        if dice.random() < 0.5:
            made.append(
                response(
                    "Chance", key, valid if dice.random() < 0.7 else str(low), *fields[:2], **more
                )
            )
        for spec in made:
            spec["name"] = spec["name"].replace("Chance", f"Chance{key}")
        return made

    specs: list[Spec] = []
    for name in RELEASES:
        if dice.random() < 0.5:
            specs = throw()
        found[name] += specs
