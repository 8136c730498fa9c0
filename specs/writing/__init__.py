"""Writes specs: formats them, begins new ones, and opens versions."""
