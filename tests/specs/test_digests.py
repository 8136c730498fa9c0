"""Digests of texts are those of hashlib, and need no OpenSSL."""

import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.digests import text_digest


@given(st.text(st.characters(categories=None)), st.integers(1, 64))
def test_a_digest_is_the_first_digits_of_sha_256(text: str, digits: int) -> None:
    whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert text_digest(text, digits) == whole[:digits]


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="others have it from hashlib")
def test_a_digest_loads_no_openssl() -> None:
    code = "import sys, wirebook.specs.digests as d; d.text_digest('a', 8); print('_hashlib' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
