"""The reference in other arrangements: by proposal, from version to version, for authors of clients."""
