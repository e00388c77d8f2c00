from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
ordered = orders.orderBy("amount")
ordered.repartition(16, "customer").write.mode("overwrite").parquet("out/by_customer")
