"""Weight by the sender's tier."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


class Weights:
    """Reads, joins, adds up."""

    def __init__(self, spark):
        self.scans = spark.read.parquet("data/scans")
        self.depots = spark.read.parquet("data/depots")

    def joined(self):
        scans = self.scans.alias("s")
        depots = self.depots.alias("d")
        return scans.join(depots, F.col("s.depot") == F.col("d.depot"), "left").select("s.*", "d.region")

    def result(self):
        return self.joined().groupBy("region", "event").agg(F.sum("grams").alias("grams"), F.max("device").alias("device"))


Weights(SparkSession.builder.appName("weights").getOrCreate()).result().write.mode("overwrite").parquet("out/weights")
