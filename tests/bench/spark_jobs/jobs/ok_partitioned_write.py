from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.repartition("country").write.mode("overwrite").partitionBy("country").parquet("out/by_country")
