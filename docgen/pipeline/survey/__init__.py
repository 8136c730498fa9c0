"""Histories of several repositories, read and compared on Spark."""
