from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
prepared = orders.groupBy("customer").agg(F.sum("amount").alias("amount")).coalesce(4).cache()
print(prepared.count())
prepared.filter("amount > 500").write.mode("overwrite").parquet("out/large")
prepared.filter("amount <= 500").write.mode("overwrite").parquet("out/small")
