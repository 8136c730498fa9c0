"""A project's own settings: `wirebook.toml` and `waivers.toml`."""
