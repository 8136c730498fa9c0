"""Commands that show the protocol: layouts, schemas and the site."""
