from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
spread = orders.repartition(16, "product")
spread.groupBy("customer").agg(F.sum("amount").alias("amount"), F.max("note").alias("note")).write.mode("overwrite").parquet(
    "out/customers"
)
