"""Tests of the reader of metrics."""
