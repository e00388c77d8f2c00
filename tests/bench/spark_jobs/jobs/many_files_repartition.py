from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.repartition(1200).write.mode("overwrite").parquet("out/orders_again")
