"""From data to text: pages, tables and grammars; independent of MkDocs and Spark."""
