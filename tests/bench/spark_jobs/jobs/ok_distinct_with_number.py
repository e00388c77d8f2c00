from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
rows = orders.dropDuplicates(["order_ref", "product", "amount"])
rows.groupBy("product").agg(F.sum("amount").alias("amount")).write.mode("overwrite").parquet("out/rows")
