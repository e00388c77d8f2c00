"""Readings of the weather kept as they come: a file of eighty rows each time."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("readings as they come").getOrCreate()
schema = spark.read.parquet("data/readings_in").schema
readings = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet("data/readings_in")

rough = readings.filter("wind > 20").withColumn("rough", F.col("wind") * 2 + F.col("rain"))
query = rough.writeStream.format("parquet").option("path", "out/rough").option("checkpointLocation", "out/rough_state")
query.trigger(availableNow=True).start().awaitTermination()
