"""Who boarded first on each of the flights that were latest."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("first to board").getOrCreate()
scans = spark.read.parquet("data/scans")
flights = spark.read.parquet("data/flights")

late = flights.filter("delay is not null").orderBy(F.desc("delay"), "flight").limit(60).collect()
found = []
for flight in late:
    first = scans.filter(F.col("flight") == flight.flight).orderBy("minute", "mark").first()
    if first is not None:
        found.append((flight.flight, flight.airline, first.passenger, first.mark))
spark.createDataFrame(found, "flight int, airline string, passenger int, mark string").write.mode("overwrite").parquet("out/first")
