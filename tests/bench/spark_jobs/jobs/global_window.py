from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
ranked = orders.withColumn("place", F.row_number().over(Window.orderBy(F.desc("amount"))))
ranked.filter("place % 1000 = 0").write.mode("overwrite").parquet("out/every_thousandth")
