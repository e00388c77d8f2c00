"""Scans of each sorting lane; the lane is cut out of the device's name."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType


@F.udf(returnType=IntegerType())
def lane_of(device):
    return int(device.split("/")[1])


class Lanes:
    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def scans(self) -> DataFrame:
        return self.spark.read.parquet("data/scans")

    def with_lane(self) -> DataFrame:
        return self.scans().withColumn("lane", lane_of("device"))

    def run(self) -> None:
        counts = self.with_lane().groupBy("lane", "event").count()
        counts.write.mode("overwrite").parquet("out/lanes")


if __name__ == "__main__":
    Lanes(SparkSession.builder.appName("lanes").getOrCreate()).run()
