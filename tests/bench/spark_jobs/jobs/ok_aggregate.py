from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.groupBy("country", "product").agg(F.sum("amount").alias("amount")).write.mode("overwrite").parquet("out/amounts")
