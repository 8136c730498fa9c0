"""The pages of the structs that several specs share: a list, and a page for each with its users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wirebook.docgen.catalog.shared_structs import StructRecord
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of

FOLDER = "structs/"


def struct_pages(
    structs: Sequence[StructRecord], slugs: Mapping[str, str], mentions: Mentions
) -> Iterator[Page]:
    """The list of shared structs, and the page of each; none without any.

    `slugs` are the addresses of the pages of messages, by the names of those.
    """
    if not structs:
        return
    html = render("structs.html.jinja", root=root_of(FOLDER), structs=structs)
    yield Page(FOLDER, "Shared structs", html)
    named: dict[str, list[StructRecord]] = {}
    for struct in structs:
        named.setdefault(struct.name, []).append(struct)
    for struct in structs:
        path = f"{FOLDER}{struct.slug}/"
        root = root_of(path)
        html = render(
            "struct.html.jinja",
            root=root,
            struct=struct,
            slugs=slugs,
            pages={name: each.slug for name, same in named.items() for each in _meant(same, struct)},
            link=lambda text, root=root: mentions.linked(text, root),
        )
        headings = (Heading("Fields", "fields", 2), Heading("Used by", "used-by", 2))
        yield Page(path, struct.name, html, headings, boost=2.0)


def _meant(same: Sequence[StructRecord], user: StructRecord) -> Sequence[StructRecord]:
    """The structs of one name that a field of another one can be: that of its file, or the only one."""
    own = [struct for struct in same if struct.path == user.path]
    return own or (same if len(same) == 1 else ())
