from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.groupBy("country").agg(F.sum("amount").alias("amount")).coalesce(1).write.mode("overwrite").csv("out/countries")
