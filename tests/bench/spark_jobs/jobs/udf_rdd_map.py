from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
pairs = orders.rdd.map(lambda row: (row["country"], row["amount"] * 1.19))
totals = pairs.reduceByKey(lambda a, b: a + b)
totals.toDF(["country", "total"]).write.mode("overwrite").parquet("out/totals")
