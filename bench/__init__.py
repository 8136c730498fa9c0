"""Measurements, printed by `make bench`; no test depends on how long anything takes."""
