from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders").repartition(16, "product")
best = Window.partitionBy("customer").orderBy(F.desc("amount"))
orders.withColumn("place", F.row_number().over(best)).filter("place < 4").write.mode("overwrite").parquet("out/best")
