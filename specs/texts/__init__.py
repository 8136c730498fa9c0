"""Prose about messages, kept apart from their specs: the model and its reader."""
