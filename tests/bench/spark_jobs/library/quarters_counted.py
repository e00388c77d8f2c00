"""How many loans each quarter has: a count for each of them."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("quarters").getOrCreate()
loans = spark.read.parquet("data/loans")
readers = spark.read.parquet("data/readers")
known = loans.join(readers, "reader").withColumn("seal", F.sha2("slip", 512))

counts = {}
for number in range(30):
    counts[number] = known.filter((F.col("quarter") == f"quarter-{number}") & ~F.col("seal").startswith("0")).count()
print(sum(counts.values()))
