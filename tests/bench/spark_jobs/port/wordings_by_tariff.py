"""One digest of all wordings of a tariff, in the order of the boxes."""

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F


def digest_of(column: str) -> Column:
    return F.sha2(F.concat_ws("", F.sort_array(F.collect_list(F.concat(F.col("box").cast("string"), F.col(column))))), 512)


spark = SparkSession.builder.appName("tariffs").getOrCreate()
declared = spark.read.parquet("data/declarations")
by_tariff = declared.groupBy("tariff")
digests = by_tariff.agg(digest_of("wording").alias("digest"), F.sum("cents").alias("cents"))
digests.write.mode("overwrite").parquet("out/tariffs")
