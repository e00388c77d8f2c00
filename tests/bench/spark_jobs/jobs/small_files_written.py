from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders").repartition(8)
banded = orders.withColumn("band", F.col("product") % 100)
banded.write.mode("overwrite").partitionBy("band").parquet("out/by_band")
