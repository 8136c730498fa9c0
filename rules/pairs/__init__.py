"""Matched pairs of what two protocols have, and the walk over them."""
