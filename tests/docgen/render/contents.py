"""The contents of a page, beside its headings."""

from __future__ import annotations

import re
from html import unescape

from wirebook.docgen.render.kit.page import Page

# Headings that the contents leave out: lists that are as long as a page.
LEFT_OUT = {"all-messages", "all-releases"}


def agrees(page: Page) -> None:
    """Assert that the contents name the headings of a page in their order, with their levels and ids."""
    found = re.findall(r'<h([2-6]) id="([^"]*)"[^>]*>(.*?)</h\1>', str(page.html), re.DOTALL)
    shown = [
        (int(level), id_, " ".join(unescape(re.sub(r"<[^>]*>", "", title)).split()))
        for level, id_, title in found
        if id_ not in LEFT_OUT
    ]
    told = [(item.level, item.id, item.title) for item in page.headings]
    assert [each[:2] for each in told] == [each[:2] for each in shown], page.path
    # A heading may say more, such as the version of a message.
    for (*_, short), (*_, long) in zip(told, shown, strict=True):
        assert long.startswith(short), page.path
    assert [level for level, *_ in shown][:1] in ([], [2]), page.path
