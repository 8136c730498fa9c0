"""A project's own settings: configuration and waivers."""
