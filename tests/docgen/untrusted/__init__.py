"""Tests of builds from checkouts that nobody has reviewed."""
