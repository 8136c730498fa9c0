"""Matched pairs of the items of two protocols, and the walk over them."""
