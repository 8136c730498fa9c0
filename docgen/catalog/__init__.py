"""The data of the site, without Spark: documents, tables and timelines."""
