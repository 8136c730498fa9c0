"""The tables, the summary and the page of a fleet."""
