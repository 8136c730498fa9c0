"""The Spark jobs: texts of snapshots in, the catalog out. Only it and `fleet/spark.py` import
pyspark."""
