"""Commands for authors of specs."""
