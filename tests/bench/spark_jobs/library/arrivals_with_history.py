"""Each batch of arrivals beside the whole year: every batch reads and groups the year again."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("arrivals with history").getOrCreate()
schema = spark.read.parquet("data/arrivals").schema
loans = spark.read.parquet("data/loans")
year = loans.groupBy("reader").agg(F.count("*").alias("of_year"), F.max("slip").alias("slip"))


def beside(batch, number):
    known = batch.select("reader", "book").join(year, "reader")
    known.write.mode("overwrite").parquet(f"out/beside/{number}")


arrivals = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet("data/arrivals")
arrivals.writeStream.foreachBatch(beside).trigger(availableNow=True).start().awaitTermination()
