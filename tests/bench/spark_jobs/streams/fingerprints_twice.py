"""Fingerprints of the viewers, counted and then written by city."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def fingerprint(column, times=8):
    made = F.col(column)
    for at in range(times):
        made = F.sha2(F.concat(made, F.lit(str(at))), 512)
    return made


spark = SparkSession.builder.appName("prints").getOrCreate()
plays = spark.read.parquet("data/plays").withColumn("print", fingerprint("trace"))
prints = plays.groupBy("viewer").agg(F.max("print").alias("print"), F.sum("seconds").alias("seconds"))

print(prints.count())
print(prints.agg(F.avg("seconds")).first())
prints.join(spark.read.parquet("data/viewers"), "viewer").write.mode("overwrite").parquet("out/prints")
