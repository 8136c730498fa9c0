"""From data to text: pages, tables and grammars; knows nothing of MkDocs or Spark."""
