"""How many values each column has. After a public question: a count of distinct values for one column after the other."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("profile of bags").getOrCreate()
bags = spark.read.parquet("data/bags")
flights = spark.read.parquet("data/flights")

digits = F.regexp_replace("tag", "[^0-9]", "")
complete = bags.withColumn("digits", digits).filter(F.length("digits") > 36).join(flights, "flight")
profile = {}
for name in complete.columns:
    profile[name] = complete.select(name).distinct().count()
print(profile)
