from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
words = orders.select("country", F.explode(F.split("note", "-")).alias("word"))
words.groupBy("country", F.length("word").alias("letters")).count().write.mode("overwrite").parquet("out/words")
