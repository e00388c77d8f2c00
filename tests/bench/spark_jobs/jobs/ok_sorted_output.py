from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.select("order_ref", "amount").orderBy("amount").write.mode("overwrite").parquet("out/sorted")
