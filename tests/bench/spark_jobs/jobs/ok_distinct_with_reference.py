from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
bought = orders.select("order_ref", "customer", "amount").distinct()
bought.groupBy("customer").agg(F.sum("amount").alias("amount")).write.mode("overwrite").parquet("out/bought")
