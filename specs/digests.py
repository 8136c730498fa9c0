"""Digests that name what a check prints, such as findings and layouts: of texts, and never for
security."""

from hashlib import sha256


def text_digest(text: str, digits: int) -> str:
    """The first hex digits of the SHA-256 of a text in UTF-8; a lone surrogate counts as its three
    bytes."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
