"""Pages as Markdown, for readers that are programs."""
