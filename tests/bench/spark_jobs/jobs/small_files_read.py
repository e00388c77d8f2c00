from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

events = spark.read.parquet("data/events_many_files")
events.groupBy("kind").agg(F.sum("seconds").alias("seconds")).write.mode("overwrite").parquet("out/seconds")
