"""Load by hour of two feeders."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("hours").getOrCreate()

spark.read.parquet("data/readings").createOrReplaceTempView("readings")
spark.sql("""
    SELECT hour, avg(kwh) AS kwh FROM (
        SELECT day, hour, sum(kwh) AS kwh FROM readings WHERE feeder IN (7, 11) GROUP BY day, hour
    ) GROUP BY hour
""").coalesce(1).write.mode("overwrite").json("out/hours")
