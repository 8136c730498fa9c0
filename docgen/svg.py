"""Pictures in SVG from a checkout: only drawings get onto a site, nothing that runs or loads other files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Position

_SVG = "http://www.w3.org/2000/svg"
_ELEMENTS = frozenset((
    "svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style", "switch", "view",
    "marker", "pattern", "clipPath", "mask", "image", "path", "rect", "circle", "ellipse", "line",
    "polyline", "polygon", "text", "tspan", "textPath", "linearGradient", "radialGradient", "stop",
    "filter", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix",
    "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA",
    "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
    "feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile",
    "feTurbulence",
))  # fmt: skip
# What drawing programs keep in a file, which browsers ignore.
_NOTES = (
    "http://www.inkscape.org/namespaces/",
    "http://sodipodi.sourceforge.net/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://purl.org/dc/",
    "http://creativecommons.org/ns#",
    "http://web.resource.org/cc/",
    "http://www.bohemiancoding.com/sketch/",
    "http://www.serif.com/",
    "http://ns.adobe.com/",
)
_XML = "http://www.w3.org/XML/1998/namespace"
_INSIDE = r"(?:#|data:image/(?:png|jpeg|gif|webp);base64,)"
_HREF = re.compile(rf"\s*{_INSIDE}", re.IGNORECASE)
_URL = re.compile(rf"url\((?!\s*[\"']?{_INSIDE})", re.IGNORECASE)
# Comments could hide the rest.
_STYLE = re.compile(r"/\*|@import|behavior|-moz-binding", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"""[\s),:;{}\[\]"'!=+*/<>|~]""")
_FUNCTIONS = frozenset((
    "", "url",  # _URL limits what it names
    "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix",
    "matrix", "matrix3d", "translate", "translatex", "translatey", "scale", "scalex", "scaley",
    "rotate", "skewx", "skewy",
    "calc", "min", "max", "clamp", "var",
    "blur", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate", "invert", "opacity",
    "saturate", "sepia",
    "circle", "ellipse", "inset", "polygon",
    "cubic-bezier", "steps",
    "not", "is", "where", "nth-child", "nth-of-type",
))  # fmt: skip
_SCRIPT = re.compile(r"(?:java|vb|live)script:")
_IGNORED = re.compile(r"[\x00-\x20]+")


def check_svg(content: bytes, path: str) -> None:
    """Raise InputError, with line and column, if a picture may do more than draw.

    Scripts, event handlers, animations, links, foreign elements, references to other files, functions of
    styles that are not known to only draw, processing instructions and entities are refused. The file must
    be UTF-8 and well-formed.
    """
    reader = _Reader(path)
    try:
        content.decode("utf-8")
        reader.parser.Parse(content, True)
    except UnicodeDecodeError:
        raise InputError("an SVG image must be UTF-8", path) from None
    except expat.ExpatError as error:
        place = Position(error.lineno, error.offset + 1)
        raise InputError(f"this is not XML: {expat.ErrorString(error.code)}", path, place) from None


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.style: list[str] | None = None
        # expat gets UTF-8 whatever the file declares; a browser must not read it in another way.
        self.parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self.parser.XmlDeclHandler = self.declaration
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.ProcessingInstructionHandler = self.instruction
        self.parser.SkippedEntityHandler = self.entity
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text

    def refuse(self, what: str) -> InputError:
        place = Position(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        return InputError(f"an SVG image of a site must not have {what}", self.path, place)

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "us-ascii"):
            raise self.refuse("another encoding than UTF-8")

    def doctype(self, _name: str, _system: str | None, _public: str | None, has_own: int) -> None:
        # Nobody fetches the file that it names.
        if has_own:
            raise self.refuse("declarations of entities")

    def instruction(self, _target: str, _data: str) -> None:
        raise self.refuse("processing instructions")

    def entity(self, name: str, _is_parameter: int) -> None:
        raise self.refuse(f'the entity "{visible(name)}"')

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        space, _, name = element.rpartition(" ")
        if space == _SVG:
            if name not in _ELEMENTS:
                raise self.refuse(f"the element <{visible(name)}>")
        elif not space.startswith(_NOTES):
            raise self.refuse(f'the element <{visible(name)}> of "{visible(space)}"')
        if self.style is not None:
            # Browsers read on after a child.
            raise self.refuse("elements within a style")
        if name == "style":
            self.style = []
        for key, value in attributes.items():
            self.attribute(key, value)

    def attribute(self, key: str, value: str) -> None:
        space, _, name = key.rpartition(" ")
        lowered = name.lower()
        if lowered.startswith("on") or (space == _XML and name == "base"):
            raise self.refuse(f'the attribute "{visible(name)}"')
        outside = lowered in ("href", "src") and value.strip() and not _HREF.match(value)
        if outside or _URL.search(value) or _SCRIPT.search(_IGNORED.sub("", value).lower()):
            raise self.refuse(f'a reference to another file ("{visible(name)}")')
        # Of most attributes, browsers read the value as a style.
        if not space.startswith(_NOTES):
            self.functions(value, f'"{visible(name)}"')
        if lowered == "style" and _STYLE.search(value):
            raise self.refuse("styles with comments, imports or scripts")

    def functions(self, style: str, where: str) -> None:
        if "\\" in style:
            # An escape may spell any word.
            raise self.refuse(f"a backslash in {where}")
        for before in style.split("(")[:-1]:
            name = _BEFORE_NAME.split(before)[-1]
            if name.lower() not in _FUNCTIONS:
                raise self.refuse(f'the function "{visible(name)}" in {where}')

    def text(self, text: str) -> None:
        if self.style is not None:
            self.style.append(text)

    def end(self, _element: str) -> None:
        if self.style is not None:
            style, self.style = "".join(self.style), None
            if _URL.search(style):
                raise self.refuse("a reference to another file in a style")
            self.functions(style, "a style")
            if _STYLE.search(style):
                raise self.refuse("styles with comments, imports or scripts")
