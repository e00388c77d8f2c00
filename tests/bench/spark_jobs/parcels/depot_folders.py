"""Scans of each depot in a folder of its own, for the planners."""

from pyspark.sql import SparkSession


def lay_out(frame, by, target):
    frame.write.mode("overwrite").partitionBy(by).json(target)


session = SparkSession.builder.appName("folders").getOrCreate()
events = session.read.parquet("data/scans").repartition(10).select("tracking", "depot", "event", "grams")
lay_out(events, "depot", "out/depot_folders")
