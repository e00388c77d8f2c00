from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
customers = spark.read.parquet("data/customers").filter("city like 'a%'")
orders.join(customers, "customer", "left_semi").groupBy("product").agg(F.sum("amount").alias("amount")).write.mode("overwrite").parquet(
    "out/semi"
)
