"""Every loan beside every reservation of its book and day, and those that have no counterpart."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("wishes and loans").getOrCreate()
loans = spark.read.parquet("data/loans").filter("day < 40").groupBy("book", "day", "reader").agg(F.max("slip").alias("slip"))
wishes = spark.read.parquet("data/reservations").filter("day < 40").select("book", F.col("day").alias("wished"), "wish")

both = loans.filter("reader % 200 = 0").join(wishes, "book", "full_outer")
near = both.groupBy("day").agg(F.sum(F.when(F.abs(F.col("day") - F.col("wished")) < 3, 1)).alias("near"), F.max("wish").alias("wish"))
near.write.mode("overwrite").parquet("out/near")
