from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders").repartition(8)
orders.filter("country < 4").write.mode("overwrite").partitionBy("product").parquet("out/by_product")
