"""partner-versions-differ: the request and the response of an API have different versions."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import ApiPair
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Message
from wirebook.specs.versions import VersionSet, counted


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
    """A response has the same valid and flexible versions as its request.

    ## What it does
    Compares `validVersions` of the request and the response with one API key, and `flexibleVersions` within
    them. If both keep a `history`, also compares the protocol levels at which a version was removed or
    reintroduced.

    ## Why it breaks
    The version in the request header is also the version of the response. If the response lacks it, the
    server cannot answer. If only one of the two is flexible, one side reads compact lengths and tags that are
    not there.

    ## When it is fine
    A bound above the highest version has no effect, and neither does the way an open range is written.

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
    requested, answered = request.valid_versions, response.valid_versions
    if requested != answered:
        lone = (requested - answered) | (answered - requested)
        yield Hit(
            f"{request.name} has the versions {requested} and {response.name} {answered}: only one of "
            f"them has {counted(lone)}",
            "give both the same validVersions",
            at=response.written.at("validVersions"),
            of=response,
            discriminator="validVersions",
            follows=("highest-version-lowered", "lowest-version-raised", "api-versions-deprecated"),
            change=f"request {requested}; response {answered}",
            values=(str(requested), str(answered)),
        )
    both = requested & answered
    flexible, answer = request.flexible_versions & both, response.flexible_versions & both
    if flexible != answer:
        lone = (flexible - answer) | (answer - flexible)
        yield Hit(
            f"in {counted(lone)} only one of {request.name} (flexible {request.flexible_versions}) and "
            f"{response.name} (flexible {response.flexible_versions}) is flexible",
            "give both the same flexibleVersions",
            at=response.written.at("flexibleVersions"),
            of=response,
            discriminator="flexibleVersions",
            follows=("flexible-versions-changed",),
            change=f"request {request.flexible_versions}; response {response.flexible_versions}",
            values=(str(request.flexible_versions), str(response.flexible_versions)),
        )
    requests, responses = _ends(request), _ends(response)
    apart = [
        version
        for version in sorted(requests.keys() & responses.keys())
        if requests[version] != responses[version]
    ]
    if apart:
        versions = VersionSet.of(apart)
        entry = next(entry for entry in response.history if entry.version == apart[0])
        yield Hit(
            f"by the history of {request.name}, version {apart[0]} is {_said(requests[apart[0]])}; by that "
            f"of {response.name} it is {_said(responses[apart[0]])}"
            + (f"; the same applies to {counted(VersionSet.of(apart[1:]))}" if apart[1:] else ""),
            "write the same removed and returned in both histories, in one patch",
            at=entry.written.position,
            of=response,
            discriminator=f"history {versions}",
            follows=("api-versions-deprecated",),
            values=(requests[apart[0]], responses[apart[0]]),
        )


def _ends(half: Message) -> dict[int, tuple[str | None, str | None]]:
    """At which protocol levels each version was removed and reintroduced, by its history."""
    return {entry.version: (entry.removed, entry.returned) for entry in half.history}


def _said(ends: tuple[str | None, str | None]) -> str:
    removed, returned = ends
    if removed is None:
        return "not removed"
    return f"removed since {removed}" + (f" and reintroduced since {returned}" if returned else "")
