"""The tables, the summary and the page of `wirebook fleet`."""
