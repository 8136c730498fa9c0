"""The MkDocs plugin, styles and scripts for any theme, and the theme of our own site."""
