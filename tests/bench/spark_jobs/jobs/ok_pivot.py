from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.groupBy("product").pivot("country", list(range(5))).agg(F.sum("amount")).write.mode("overwrite").parquet("out/pivot")
