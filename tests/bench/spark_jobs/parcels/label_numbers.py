"""Takes the parcel's number out of its label."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


@F.udf("long")
def digits(label):
    return int(label[1:])


spark = SparkSession.builder.appName("labels").getOrCreate()
labels = spark.read.parquet("data/parcels").select(digits("tracking").alias("number"), "sender")
labels.groupBy("sender").agg(F.max("number").alias("newest")).write.mode("overwrite").parquet("out/labels")
