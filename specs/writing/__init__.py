"""Writes specs: formats them, creates new ones, and opens versions."""
