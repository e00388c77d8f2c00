"""The acquirer's file, as it comes: one gzip."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

schema = StructType(
    [
        StructField("card", StringType()),
        StructField("merchant", IntegerType()),
        StructField("paid_at", StringType()),
        StructField("cents", IntegerType()),
        StructField("currency", StringType()),
        StructField("memo", StringType()),
    ]
)


def main(path="data/acquirer.csv.gz"):
    spark = SparkSession.builder.appName("acquirer").getOrCreate()
    reader = spark.read.schema(schema).option("mode", "FAILFAST")
    rows = reader.csv(path)
    value = F.concat("card", F.sha2("memo", 512))
    for _ in range(4):
        value = F.sha2(value, 512)
    rows.withColumn("print", value).groupBy("currency").agg(F.max("print")).write.mode("overwrite").json("out/acquirer")


if __name__ == "__main__":
    sys.exit(main())
