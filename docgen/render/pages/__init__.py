"""The pages of the site, one module for each kind; `book` puts them together."""
