"""Digests that name what a check prints, such as findings and layouts: of texts, and never for security.

hashlib loads OpenSSL, which takes 3 % of the time of a check with one finding. CPython has SHA-256 built in,
from where its own `random` module takes such a function, too.
"""

try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]  # CPython 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256


def text_digest(text: str, digits: int) -> str:
    """The first hex digits of the SHA-256 of a text in UTF-8; a lone surrogate counts as its three bytes."""
    name: str = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return name[:digits]
