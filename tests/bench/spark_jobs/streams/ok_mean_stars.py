"""Mean stars by genre, looked at on a screen."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("stars").getOrCreate()
ratings, titles = spark.read.parquet("data/ratings"), spark.read.parquet("data/titles")
for row in ratings.join(F.broadcast(titles), "title").groupBy("genre").agg(F.avg("stars").alias("stars")).collect():
    print(row["genre"], row["stars"])
