"""The applications of the tables, judged at the target: summary and page."""
