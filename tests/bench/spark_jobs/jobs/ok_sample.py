from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
orders.sample(0.01, seed=7).select("order_ref", "amount").write.mode("overwrite").json("out/sample")
