"""Reads the dump that the head-end sends."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("dump").getOrCreate()

FIELDS = "meter string, feeder int, day date, hour int, minute int, kwh double, quality string, payload string"
dump = spark.read.schema(FIELDS).option("header", "false").csv("data/dump.csv.gz")
sealed = dump.withColumn("seal", F.sha2(F.concat(F.sha2("payload", 512), F.sha2(F.reverse("payload"), 512), F.sha2("meter", 512)), 512))
sealed.groupBy("feeder").agg(F.max("seal").alias("seal"), F.sum("kwh").alias("kwh")).write.mode("overwrite").parquet("out/dump")
