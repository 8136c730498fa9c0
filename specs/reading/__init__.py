"""From text to model: readers of specs and profiles, and which files are specs."""
