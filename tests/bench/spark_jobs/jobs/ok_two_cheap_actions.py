from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
print(orders.count())
orders.groupBy("country").count().write.mode("overwrite").parquet("out/counts")
