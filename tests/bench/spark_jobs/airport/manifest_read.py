"""Weight of the bags of each flight, from the manifest that the handler sends: one document."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("manifest").getOrCreate()
manifest = spark.read.schema("flight int, passenger int, belt int, weight double, tag string").json("data/manifest.json", multiLine=True)

weights = manifest.groupBy("flight").agg(F.sum("weight").alias("weight"), F.max("tag").alias("tag"), F.count("passenger").alias("owned"))
weights.write.mode("overwrite").parquet("out/manifest")
