"""Findings that no rule on a part of a change makes: on waivers, and on what is restored."""
