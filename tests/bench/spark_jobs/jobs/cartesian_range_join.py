from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders").filter("country < 2")
bands = spark.read.parquet("data/bands")
found = orders.join(bands, (orders["amount"] >= bands["low"]) & (orders["amount"] < bands["high"]))
found.groupBy("band").agg(F.count("*").alias("orders")).write.mode("overwrite").parquet("out/bands")
