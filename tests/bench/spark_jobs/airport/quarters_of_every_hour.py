"""How many planes are called, board, wait and leave in each quarter of an hour. After a public question: columns added in a loop."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("quarters of every hour").getOrCreate()
flights = spark.read.parquet("data/flights")

states = {"called": 60, "boards": 40, "waits": 15, "leaves_at": 0}
names = []
for state, before in states.items():
    for quarter in range(96):
        name = f"{state}_{quarter}"
        at = F.pmod(F.col("leaves") - before, F.lit(1440))
        flights = flights.withColumn(name, ((at >= quarter * 15) & (at < quarter * 15 + 15)).cast("int"))
        names.append(name)
flights.groupBy("terminal").agg(*[F.sum(name).alias(name) for name in names]).write.mode("overwrite").parquet("out/quarters")
