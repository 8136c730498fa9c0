"""Commands for authors and reviewers of protocol changes."""
