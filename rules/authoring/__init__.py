"""What authors of specs begin with: a repository, a message, a version, and the layout of the text."""
