"""The Spark jobs: texts of snapshots in, the catalog out. The only package that imports pyspark."""
