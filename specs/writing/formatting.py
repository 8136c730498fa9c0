"""Formats the text of a spec like Kafka's own specs, keeping its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.specs.reading.discovery import COMMENT
from wirebook.specs.syntax.jsontext import parse_json

_TOKEN = re.compile(rf'"(?:[^"\\]|\\.)*+"|{COMMENT}|[\[\]{{}}:,]|[^\s\[\]{{}}:,"/]++')
_ABOUT = '"about"'
_LISTS = ('"values"', '"flags"')
_STEP = 2
_WIDTH = 110


class _Token(NamedTuple):
    """A token, and the number of line ends before it."""

    text: str
    breaks: int

    @property
    def is_comment(self) -> bool:
        return self.text.startswith("/")

    @property
    def ends_line(self) -> bool:
        return self.text.startswith("//")


@dataclass
class _Frame:
    """An open object or array: tokens that begin a line are at column `inner`, its end at `base`."""

    closing: str
    base: int
    inner: int
    spread: bool  # each member or element has its own line
    joined: bool = False  # the author's line ends are ignored
    broken: bool = False  # a member of it begins a line
    listed: bool = False  # the values or flags of a field, or one of them: `about` stays on its line


def formatted(text: str | bytes, path: str) -> str:
    """The formatted text of a spec; text after the spec is unchanged.

    Indentation is two spaces; each key of the message and each field begins a line, and the `about` of a
    field is below its name. Inside a field, the author's line ends before keys stay; a field with one key per
    line is joined, unless it has comments, and so is a short list. Reading the result gives the same message
    as reading `text`. Raises InputError for a text that is not JSON with comments.
    """
    document = parse_json(text, path)
    whole = document.lines.text
    end = len(whole) if document.rest is None else document.rest
    newline = "\r\n" if "\r\n" in whole else "\n"
    written = "".join(_printed(_tokens(whole[:end]), newline)) + newline
    return ("\ufeff" if document.byte_order_mark else "") + written + whole[end:]


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text; a comma follows the value before it, ahead of any comments.

    A comment on the line of a comma belongs to the value before it: such a comma stays after the comments.
    """
    raw: list[_Token] = []
    at = 0
    for match in _TOKEN.finditer(text):
        space = text[at : match.start()]
        raw.append(_Token(match[0].rstrip(), space.count("\n") or space.count("\r")))
        at = match.end()
    tokens: list[_Token] = []
    carried = 0
    for token, following in zip(raw, [*raw[1:], None], strict=True):
        breaks, carried = token.breaks + carried, 0
        if token.text != ",":
            tokens.append(_Token(token.text, breaks))
            continue
        place = len(tokens)
        if following is None or not following.is_comment or following.breaks:
            while tokens[place - 1].is_comment:
                place -= 1
        tokens.insert(place, _Token(",", 0))
        carried = 0 if following is None or following.is_comment else breaks
    return tokens


def _printed(tokens: Sequence[_Token], newline: str) -> Iterator[str]:
    """The tokens with the space before each."""
    frames: list[_Frame] = []
    closed: int | None = None  # the column of the multi-line array that the last token ended
    line = 0  # the token that begins the line
    column = 0
    for number, token in enumerate(tokens):
        before = tokens[number - 1] if number else None
        fits = column + _length(tokens, number) < _WIDTH
        indent = _indent(token, before, frames, closed, fits)
        if indent is None:
            space = "" if before is None or _touch(token, before, closed) else " "
            column += len(space) + len(token.text)
            yield space
        else:
            line, column = number, indent + len(token.text)
            opens = before is not None and before.text in "{["
            blank = token.breaks > 1 and not opens and token.text not in ("}", "]")
            yield newline * (1 + blank) + " " * indent
        yield token.text
        closed = None
        if token.text in ("{", "["):
            frames.append(_opened(tokens, number, frames, line))
        elif token.text in ("}", "]"):
            frame = frames.pop()
            closed = frame.base if frame.spread and token.text == "]" else None


def _opened(tokens: Sequence[_Token], number: int, frames: Sequence[_Frame], line: int) -> _Frame:
    """The frame of the object or array that begins at a token; `line` is the first token of its line."""
    broken = tokens[number + 1].breaks > 0 and tokens[number + 1].text not in ("}", "]")
    outer = frames[-1] if frames else None
    if outer is None:
        base = 0
    elif outer.closing == "]" or outer.spread or line == number - 2:
        base = outer.inner
    else:
        # A list that begins after other keys of a field: its elements are two columns after the brace.
        base = outer.base
    if tokens[number].text == "[":
        listed = number > 1 and tokens[number - 2].text in _LISTS
        return _Frame("]", base, base + _STEP, _needs_lines(tokens, number), joined=True, listed=listed)
    listed = outer is not None and outer.listed
    if broken and outer is not None and outer.closing == "]" and _has_a_key_a_line(tokens, number):
        # One key per line, as many programs write JSON.
        return _Frame("}", base, base + _STEP, False, joined=True, listed=listed)
    return _Frame("}", base, base + _STEP, broken or outer is None, listed=listed)


def _has_a_key_a_line(tokens: Sequence[_Token], number: int) -> bool:
    """Whether each key of an object begins a line, and none has a comment."""
    depth = 0
    for at, token in enumerate(tokens[number:], number):
        depth += (token.text in ("{", "[")) - (token.text in ("}", "]"))
        if not depth:
            return True
        if depth == 1 and (token.is_comment or (token.text == "," and not tokens[at + 1].breaks)):
            return False
    return True


def _length(tokens: Sequence[_Token], number: int) -> int:
    """The length of a key with its value on its line; for an object or a list only the bracket counts."""
    member = tokens[number : number + 3]
    return sum(len(token.text) + 1 for token in member) if len(member) == 3 and member[1].text == ":" else 0


def _needs_lines(tokens: Sequence[_Token], number: int) -> bool:
    """Whether the elements of an array are on their own lines: objects, arrays, comments, a long list."""
    length = 0
    for token in tokens[number + 1 :]:
        if token.text in ("{", "[") or token.is_comment:
            return True
        if token.text == "]":
            break
        length += len(token.text) + 1
    return length > _WIDTH // 2 and tokens[number + 1].breaks > 0


def _indent(
    token: _Token, before: _Token | None, frames: Sequence[_Frame], closed: int | None, fits: bool
) -> int | None:
    """The column of a token that begins a line; None if it continues the line of the one before it.

    `fits` is whether that line has room for it.
    """
    if before is None:
        return None
    frame = frames[-1] if frames else _Frame("", 0, 0, True)
    if token.text in (",", ":") and not before.ends_line:
        return None
    if token.text == frame.closing:
        if before.text in ("{", "["):
            return None
        return frame.base if frame.spread or before.ends_line or closed == frame.inner else None
    if before.ends_line:
        return frame.inner
    if token.is_comment:
        return frame.inner if token.breaks else None
    if before.is_comment:
        return frame.inner if token.breaks or frame.spread else None
    if before.text == ":":
        return None
    if before.text in ("{", "[") or len(frames) == 1 or (frame.spread and frame.closing == "]"):
        return frame.inner if frame.spread else None
    broken = not fits if frame.joined else token.breaks > 0
    is_about = token.text == _ABOUT and not frame.listed
    if before.text != "," or not (broken or (is_about and (frame.joined or not frame.broken))):
        return None
    frame.broken = True
    return frame.inner


def _touch(token: _Token, before: _Token, closed: int | None) -> bool:
    """Whether there is no space between two tokens of a line."""
    if token.text in (",", ":"):
        return True
    if token.text == "}":
        return before.text == "{" or closed is not None
    if token.text == "]":
        return True
    return before.text == "["
