from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
cheap = orders.filter("amount < 10").withColumn("band", F.lit("cheap"))
dear = orders.filter("amount > 900").withColumn("band", F.lit("dear"))
cheap.unionByName(dear).groupBy("band", "country").count().write.mode("overwrite").parquet("out/both")
