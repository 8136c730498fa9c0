"""partner-versions-differ: request and response of an API do not have the same versions."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Repair
from wirebook.rules.pairs.kinds import ApiPair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Message
from wirebook.specs.versions import counted


@rule(
    on=ApiPair,
    category=Category.POLICY,
    source="KIP-35; KIP-482",
    follows=(
        "flexible-versions-changed",
        "highest-version-lowered",
        "lowest-version-raised",
        "api-versions-deprecated",
    ),
)
def partner_versions_differ(api: ApiPair) -> Iterator[Hit]:
    """A response has the versions of its request, and is flexible in the same ones.

    ## What it does
    Compares `validVersions` of the request and the response with one API key, and `flexibleVersions` within
    them.

    ## Why it breaks
    The version in the request's header is the version of the answer. Where the response has none, the broker
    cannot answer; where one of the two is flexible and the other not, one side reads compact lengths and
    tags that are not there.

    ## When it is fine
    A bound above the highest version changes nothing, nor does how an open range is written.

    ## Do instead
    Give both the same `validVersions` and `flexibleVersions`, in one patch.

    ## Example
    ```diff
    @@ FooRequest.json @@
    - { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    + { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "0+", "fields": [] }
    @@ FooResponse.json @@
      { "apiKey": 1, "type": "response", "name": "FooResponse", "validVersions": "0-1",
        "flexibleVersions": "0+", "fields": [] }
    ```
    """
    request, response = api
    asked, answered = request.valid_versions, response.valid_versions
    if asked != answered:
        lone = (asked - answered) | (answered - asked)
        yield Hit(
            f"{request.name} has the versions {asked} and {response.name} {answered}: one side alone "
            f"has {counted(lone)}",
            "give both the same validVersions",
            at=response.written.at("validVersions"),
            of=response,
            discriminator="validVersions",
            repairs=_raised(request, response),
        )
    both = asked & answered
    one, other = request.flexible_versions & both, response.flexible_versions & both
    if one != other:
        lone = (one - other) | (other - one)
        yield Hit(
            f"in {counted(lone)} only one of {request.name} (flexible {request.flexible_versions}) and "
            f"{response.name} (flexible {response.flexible_versions}) is flexible",
            "give both the same flexibleVersions",
            at=response.written.at("flexibleVersions"),
            of=response,
            discriminator="flexibleVersions",
        )


def _raised(request: Message, response: Message) -> tuple[Repair, ...]:
    """The change that gives the half with the lower top version the versions of the other."""
    low, high = sorted((request, response), key=lambda half: half.valid_versions.highest)
    if low.valid_versions.lowest != high.valid_versions.lowest:
        return ()
    return (Repair(low.path, low.written, "validVersions", str(high.valid_versions)),)
