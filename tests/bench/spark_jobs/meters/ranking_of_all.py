"""Every reading gets its place among all readings."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("ranking").getOrCreate()

readings = spark.read.parquet("data/readings").select("meter", "day", "kwh", "payload")
place = Window.orderBy(F.col("kwh").desc(), "meter")
ranked = readings.withColumn("place", F.row_number().over(place)).withColumn("seal", F.sha2("payload", 512))
ranked.write.mode("overwrite").parquet("out/ranked")
