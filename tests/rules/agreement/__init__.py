"""Tests of the relation that decides whether two specs agree."""
