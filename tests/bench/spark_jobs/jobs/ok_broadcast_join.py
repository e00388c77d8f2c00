from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
products = spark.read.parquet("data/products")
orders.join(products, "product").groupBy("title").agg(F.sum("amount").alias("amount")).write.mode("overwrite").parquet("out/titles")
