"""Traces without their letters, from a helper of the library of the team."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType


class Cleaner:
    def __init__(self, kept="0123456789"):
        self.kept = kept

    def digits(self, trace):
        return "".join(sign for sign in trace if sign in self.kept)


cleaner = Cleaner()
digits = F.udf(lambda trace: cleaner.digits(trace), StringType())

spark = SparkSession.builder.appName("cleaned").getOrCreate()
plays = spark.read.parquet("data/plays")
plays.withColumn("code", digits("trace")).groupBy("device").agg(F.max("code").alias("code")).write.mode("overwrite").parquet("out/codes")
