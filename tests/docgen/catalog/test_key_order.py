"""The order of APIs in every list: by key, those without one last."""

from __future__ import annotations

from wirebook.docgen.catalog.order import key_order


def test_apis_are_in_the_order_of_their_keys_and_those_without_one_last() -> None:
    keys = [None, 32767, 0, 2**31, None, 1]
    assert sorted(keys, key=key_order) == [0, 1, 32767, 2**31, None, None]
