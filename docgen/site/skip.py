"""The link at the top of every page of Material that skips the header."""

from __future__ import annotations

import re

_SKIP = re.compile(r'(<div data-md-component="skip">)(.*?)(</div>)', re.DOTALL)
_TEXT = re.compile(r"<a[^>]*>(.*?)</a>", re.DOTALL)
_CONTENT = re.compile(r'<div class="md-content"(?=[^>]*data-md-component="content")(?![^>]* id=)')
_ID = "wb-content"


def with_skip_link(output: str) -> str:
    """The HTML of a page with the link; unchanged if the theme has no place for it.

    Material has it only on pages with a table of contents, and leads to the first heading there.
    """
    place = _SKIP.search(output)
    content = _CONTENT.search(output)
    if place is None or content is None:
        return output
    theirs = _TEXT.search(place[2])
    words = theirs[1].strip() if theirs is not None else "Skip to content"
    link = f'<a href="#{_ID}" class="md-skip">{words}</a>'
    between = output[place.end() : content.end()]
    begin, end = f"{output[: place.start()]}{place[1]}{link}{place[3]}", output[content.end() :]
    return f'{begin}{between} id="{_ID}" tabindex="-1"{end}'
