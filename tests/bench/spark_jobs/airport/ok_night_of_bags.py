"""The bags of a night, read as a stream that takes all files at once and keeps its state in four partitions."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("night of bags").getOrCreate()
schema = spark.read.parquet("data/bags_in").schema
bags = spark.readStream.schema(schema).option("maxFilesPerTrigger", 100).parquet("data/bags_in")

seal = F.col("tag")
for _ in range(30):
    seal = F.sha2(seal, 512)
by_belt = bags.withColumn("seal", seal).groupBy("belt").agg(F.count("*").alias("bags"), F.max("seal").alias("seal"))
query = by_belt.writeStream.outputMode("complete").format("memory").queryName("night").trigger(availableNow=True).start()
query.awaitTermination()
