from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
products = spark.read.parquet("data/products")
joined = orders.join(products, "product", "left")
joined.groupBy("title").agg(F.sum("amount").alias("amount"), F.max("note").alias("note")).write.mode("overwrite").parquet("out/titles")
