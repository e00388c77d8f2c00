from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders").filter("country = 1 and product < 800")
by_customer = orders.groupBy("customer").agg(F.sum("amount").alias("amount"))
by_amount = by_customer.groupBy(F.floor("amount").alias("amount")).count()
by_amount.coalesce(4).write.mode("overwrite").parquet("out/amounts")
