from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
clicks = spark.read.parquet("data/clicks").filter("customer > 0")
counted = clicks.groupBy("customer").count()
orders.join(counted, "customer").groupBy("country").agg(F.sum("count").alias("clicks")).write.mode("overwrite").parquet("out/joined")
