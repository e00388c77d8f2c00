"""Each play with the viewer's own rating of that title: two large tables, joined by both keys."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("rated").getOrCreate()
plays, ratings = spark.read.parquet("data/plays"), spark.read.parquet("data/ratings")
plays.join(ratings, ["viewer", "title"]).select("viewer", "title", "stars", "seconds").write.mode("overwrite").parquet("out/rated")
