"""From the catalog to HTML and text; independent of MkDocs and Spark."""
