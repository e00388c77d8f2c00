from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
mean = orders.agg(F.avg("amount").alias("mean"))
orders.crossJoin(mean).filter("amount > mean").groupBy("country").count().write.mode("overwrite").parquet("out/above")
