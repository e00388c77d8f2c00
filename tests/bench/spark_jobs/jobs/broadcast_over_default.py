from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
customers = spark.read.parquet("data/customers_wide").filter("customer_no < 50000")
joined = orders.join(customers, orders["customer"] == customers["customer_no"])
joined.groupBy("city").agg(
    F.sum("amount").alias("amount"), F.max("profile").alias("profile"), F.max("note").alias("note"), F.max("order_ref").alias("order")
).write.mode("overwrite").parquet("out/cities")
