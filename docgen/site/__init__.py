"""The MkDocs plugin, and the site that it is part of."""
