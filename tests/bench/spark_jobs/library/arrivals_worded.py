"""A wording of each arrival, made in Python row by row."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("arrivals worded").getOrCreate()
schema = spark.read.parquet("data/arrivals").schema


@F.udf("string")
def worded(slip, kept):
    total = 0
    for _ in range(12):
        for letter in slip:
            total = (total * 31 + ord(letter)) % 1_000_003
    return f"{total}-{kept}"


arrivals = spark.readStream.schema(schema).option("maxFilesPerTrigger", 3).parquet("data/arrivals")
worded_arrivals = arrivals.withColumn("wording", worded("slip", "kept"))
query = worded_arrivals.writeStream.format("parquet").option("path", "out/worded").option("checkpointLocation", "out/worded_state")
query.trigger(availableNow=True).start().awaitTermination()
