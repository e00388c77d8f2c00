from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
newest = Window.partitionBy("customer").orderBy(F.desc("amount"))
orders.withColumn("place", F.row_number().over(newest)).filter("place = 1").write.mode("overwrite").parquet("out/best")
