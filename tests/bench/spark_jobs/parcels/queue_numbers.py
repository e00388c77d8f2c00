"""A running number for every scan, in the order of time."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("numbers").getOrCreate()
for name in ("scans", "depots"):
    spark.read.parquet(f"data/{name}").createOrReplaceTempView(name)

numbered = spark.sql(
    """
    SELECT s.tracking, s.depot, s.device,
           row_number() OVER (ORDER BY s.scanned_at, s.tracking) AS number,
           sum(s.grams) OVER (ORDER BY s.scanned_at, s.tracking) AS grams_so_far
    FROM scans s
    """
)
numbered.write.mode("overwrite").parquet("out/numbers")
