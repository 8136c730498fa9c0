"""How to begin a second protocol in a repository that has one, such as that of another team."""

from __future__ import annotations

import posixpath
import re

from wirebook.rules.authoring.survey import protocol_name
from wirebook.rules.project.config import OWN, SHARED, find_config
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.reading.discovery import relative

_PLAIN = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", re.ASCII)


def second_protocol(here: Workspace) -> list[str]:
    """The commands that begin a protocol in the current folder; none if the folder is no place for another.

    It is one if the repository has specs, but none in the folder, below or above it, and if no `[[protocol]]`
    claims it. The second protocol has a title of its own, so that the profile of the first does not apply.
    """
    folder, cwd, settings = here.folder, here.cwd.resolve(), here.settings
    if folder is None or not here.texts or settings.protocol.value is not None:
        return []
    place = relative(cwd, folder.resolve()).replace("\\", "/")
    if _PLAIN.fullmatch(place) is None or any(_is_near(text.path, place) for text in here.texts):
        return []
    protocols, spec = settings.protocols.value, f"{place}/Message.json"
    if (protocols is not None and protocols.claimed(spec)) or not settings.takes(spec):
        return []
    name = protocol_name(posixpath.basename(place))
    config = find_config(cwd)
    is_shared = config is not None and config.name == SHARED
    table = f"[[{'tool.wirebook.' if is_shared else ''}protocol]]"
    title = f"{name.replace('-', ' ').capitalize()} protocol"
    lines = [table, f'name = "{name}"', f'paths = ["/{place}"]', 'released = "none"', f'title = "{title}"']
    if protocols is None:
        # Without paths, it has all specs that no other protocol claims.
        lines = [table, f'name = "{_first(here, name)}"', "", *lines]
    file = relative(config or folder / OWN, cwd).replace("\\", "/")
    text = r"\n".join(["", *lines, ""])
    return [f"printf '{text}' >> {file}", f"wirebook new --protocol {name} request PlaceOrder"]


def _is_near(path: str, place: str) -> bool:
    """Whether a spec is in a folder, below it, or in a folder above it that is not the top."""
    folder = posixpath.dirname(path)
    return f"{folder}/".startswith(f"{place}/") or (folder != "" and place.startswith(f"{folder}/"))


def _first(here: Workspace, other: str) -> str:
    """The name of the protocol that the repository has: that of its profile, or else that of its folder."""
    folder = here.folder
    name = here.profile.name or protocol_name("" if folder is None else folder.name)
    return f"{name}-first" if name == other else name
