"""Tests of what a reviewer has to know of a change."""
