from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
best = orders.groupBy("country").agg(F.sum("amount").alias("amount")).orderBy(F.desc("amount")).limit(10)
for row in best.collect():
    print(row["country"], row["amount"])
