"""The dearest claims, for a mail."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def dearest(spark, how_many=20):
    claims = spark.read.parquet("data/claims")
    return claims.where("reason = 3").orderBy(F.desc("cents"), "letter").limit(how_many).collect()


for claim in dearest(SparkSession.builder.appName("dearest").getOrCreate()):
    print(claim["tracking"], claim["cents"])
