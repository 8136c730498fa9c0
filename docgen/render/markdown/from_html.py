"""The HTML of a page as Markdown: tables, lists, code and links, without what only a browser can use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wirebook.docgen.render.kit.html_tokens import attributes_of, tokens
from wirebook.docgen.render.markdown.text import block, code, escaped, link, opening

_VOID = {"br", "img", "hr", "input", "wbr", "meta", "link", "col", "source"}
_LEFT_OUT = {
    "script", "style", "svg", "input", "select", "button", "label", "textarea", "template",
    "noscript", "form",
}  # fmt: skip
_BLOCKS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "pre", "div",
    "section", "nav", "figure", "figcaption", "details", "summary", "blockquote", "hr",
    "article", "aside", "caption", "thead", "tbody", "tr", "td", "th",
}  # fmt: skip
# What the start of an element ends, if HTML omits the end tag.
_ENDS = {
    "td": ("td", "th", "p"), "th": ("td", "th", "p"), "tr": ("td", "th", "tr", "p"), "li": ("li", "p"),
    "tbody": ("td", "th", "tr", "thead", "tbody"), "dt": ("dt", "dd", "p"), "dd": ("dt", "dd", "p"),
}  # fmt: skip
_LIMITS = {"table", "ul", "ol", "dl", "div", "section"}
_SPACES = re.compile(r"\s+")

AddressOf = Callable[[str], str]


@dataclass(slots=True)
class _Node:
    """An element; its attributes are as written, since most are never read."""

    tag: str
    attributes: str = ""
    children: list[_Node | str] = field(default_factory=list)

    def attribute(self, name: str) -> str:
        """The value of an attribute; "" if the element lacks it."""
        return attributes_of(self.attributes).get(name, "") if name in self.attributes else ""

    def has(self, name: str) -> bool:
        """Whether the element has a class."""
        return name in self.attributes and name in self.attribute("class").split()

    def elements(self, *tags: str) -> Iterator[_Node]:
        """The elements below, at any depth, but not below each other or in another table."""
        for child in self.children:
            if isinstance(child, _Node):
                if child.tag in tags:
                    yield child
                elif child.tag != "table":
                    yield from child.elements(*tags)

    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class _Tree:
    """The elements of HTML, as browsers nest them where end tags are omitted."""

    def __init__(self, html: str) -> None:
        self.stack = [_Node("")]
        for tag, text in tokens(html):
            if not tag:
                self._add_text(text)
            elif tag[0] == "/":
                self._end(tag[1:])
            else:
                self._start(tag, text)

    @property
    def children(self) -> list[_Node | str]:
        """What is at the top."""
        return self.stack[0].children

    def _start(self, tag: str, attributes: str) -> None:
        if tag in _BLOCKS and self.stack[-1].tag == "p":
            self.stack.pop()
        if tag == "wbr":
            return
        if tag in _ENDS:
            self._end_omitted(_ENDS[tag])
        node = _Node(tag, attributes)
        self.stack[-1].children.append(node)
        if tag not in _VOID:
            self.stack.append(node)

    def _add_text(self, text: str) -> None:
        children = self.stack[-1].children
        if children and isinstance(children[-1], str):
            text = str(children.pop()) + text  # on both sides of a <wbr>
        children.append(text)

    def _end_omitted(self, tags: Sequence[str]) -> None:
        """End the elements of these names that are open in the same table or list."""
        outermost = len(self.stack)
        for depth in range(len(self.stack) - 1, 0, -1):
            tag = self.stack[depth].tag
            if tag in tags:
                outermost = depth
            elif tag in _LIMITS:
                break
        del self.stack[outermost:]

    def _end(self, tag: str) -> None:
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth].tag == tag:
                del self.stack[depth:]
                return
            if self.stack[depth].tag in _LIMITS and tag in _ENDS:
                return


def markdown(html: str, address: AddressOf = str) -> str:
    """The Markdown of HTML; `address` maps the address of a link in the page."""
    return "\n\n".join(_Maker(address).blocks(_Tree(html).children)) + "\n"


class _Maker:
    def __init__(self, address: AddressOf) -> None:
        self.address = address

    def blocks(self, children: Iterable[_Node | str]) -> Iterator[str]:
        """Blocks of text; what is between block elements is a paragraph of its own."""
        line: list[_Node | str] = []
        for child in children:
            if isinstance(child, _Node) and (child.tag in _BLOCKS or _holds_blocks(child)):
                yield from self._paragraph(line)
                line = []
                if child.tag not in _LEFT_OUT:
                    yield from self._block(child)
            else:
                line.append(child)
        yield from self._paragraph(line)

    def _paragraph(self, children: Iterable[_Node | str]) -> Iterator[str]:
        text = self.inline(children)
        if text:
            yield opening(text)

    def _block(self, node: _Node) -> Iterator[str]:
        tag = node.tag
        if re.fullmatch("h[1-6]", tag):
            text = self.inline(node.children)
            if text:
                yield f"{'#' * int(tag[1])} {text}"
        elif tag == "pre":
            yield block(node.text())
        elif tag == "table":
            yield from self._table(node)
        elif tag in ("ul", "ol"):
            items = list(self._items(node))
            if items:
                yield "\n".join(items)
        elif tag == "hr":
            yield "---"
        elif tag == "blockquote":
            yield "\n".join(f"> {line}" for line in "\n\n".join(self.blocks(node.children)).split("\n"))
        elif tag in ("summary", "dt", "figcaption"):
            text = self.inline(node.children)
            if text:
                yield text if any(True for _ in node.elements("h3", "h4")) else f"**{text}**"
        else:
            yield from self.blocks(node.children)

    def _items(self, node: _Node) -> Iterator[str]:
        number = 0
        for child in node.children:
            if isinstance(child, _Node) and child.tag == "li":
                number += 1
                mark = f"{number}. " if node.tag == "ol" else "- "
                parts = list(self.blocks(child.children))
                first = "\n".join(parts) if all("\n\n" not in part for part in parts) else "\n\n".join(parts)
                if first:
                    yield mark + first.replace("\n", "\n" + " " * len(mark))

    def _table(self, node: _Node) -> Iterator[str]:
        rows = []
        for row in node.elements("tr"):
            cells = [self._cell(cell) for cell in row.elements("td", "th")]
            if cells:
                rows.append(cells)
        for caption in node.elements("caption"):
            text = self.inline(caption.children)
            if text:
                yield f"**{text}**"
        if not rows:
            return
        if not any(True for _ in node.elements("thead")):
            rows.insert(0, [""] * len(rows[0]))
        width = max(map(len, rows))
        lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
        lines.insert(1, f"|{'---|' * width}")
        yield "\n".join(lines)

    def _cell(self, node: _Node) -> str:
        if any(isinstance(child, _Node) and child.tag in _BLOCKS for child in node.children):
            parts = (
                re.sub(r"\n\s*(?:- )?", "; ", part.removeprefix("- ")) for part in self.blocks(node.children)
            )
            return " ".join(parts)
        return self.inline(node.children)

    def inline(self, children: Iterable[_Node | str]) -> str:
        """Children as text on one line."""
        return _SPACES.sub(" ", "".join(map(self._inline, children))).strip()

    def _inline(self, child: _Node | str) -> str:
        if isinstance(child, str):
            text = escaped(child)
            if not text:
                return " " if child else ""
            return f"{' ' if child[0].isspace() else ''}{text}{' ' if child[-1].isspace() else ''}"
        tag = child.tag
        if tag in _LEFT_OUT or child.has("headerlink"):
            return ""
        if tag == "br":
            return " <br> "
        if tag == "img":
            return escaped(child.attribute("alt"))
        if tag in ("code", "kbd") or child.has("wb-b"):
            text = child.text().strip()
            return code(text) if text else ""
        text = "".join(map(self._inline, child.children))
        bare = text.strip()
        if tag == "a" and bare:
            return text.replace(bare, self._link(bare, child.attribute("href")), 1)
        if tag in ("em", "i", "strong", "b") and bare:
            mark = "*" if tag in ("em", "i") else "**"
            return text.replace(bare, f"{mark}{bare}{mark}", 1)
        return text

    def _link(self, text: str, href: str) -> str:
        if not href or href.startswith("#"):
            return text
        target = self.address(href)
        return link(text, target) if target else text


def _holds_blocks(node: _Node) -> bool:
    return any(
        isinstance(child, _Node) and (child.tag in _BLOCKS or _holds_blocks(child)) for child in node.children
    )
