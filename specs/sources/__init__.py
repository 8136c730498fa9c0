"""A directory, a git revision or an archive, as named texts."""
