from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
totals = orders.groupBy("country").agg(F.sum("amount").alias("amount"))
totals.withColumn("place", F.row_number().over(Window.orderBy(F.desc("amount")))).write.mode("overwrite").parquet("out/places")
