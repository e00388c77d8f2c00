"""Takes the meter's number out of its name."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("numbers").getOrCreate()

readings = spark.read.parquet("data/readings")
numbered = readings.withColumn("number", F.substring("meter", 1, 5).cast("int"))
numbered.groupBy("number").agg(F.sum("kwh").alias("kwh")).write.mode("overwrite").parquet("out/numbers")
