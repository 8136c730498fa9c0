"""What the reference says from other sides: by proposal, from version to version, for authors of clients."""
