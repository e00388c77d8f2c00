"""Through which gate each guest came first on each day."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("first gate").getOrCreate()
scans = spark.read.parquet("data/scans").select("pass", "second", "gate", (F.col("second") / 86400).cast("int").alias("day"))

of_the_day = Window.partitionBy("pass", "day").orderBy("second", "gate")
first = scans.withColumn("place", F.row_number().over(of_the_day)).filter("place = 1").drop("place")
first.write.mode("overwrite").parquet("out/first_gates")
