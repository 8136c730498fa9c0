"""Review reports and audits, as HTML and Markdown."""
