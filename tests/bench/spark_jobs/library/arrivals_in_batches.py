"""What the desks send, counted by subject as it comes: a small file each time, and the state in as many partitions as Spark takes."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("arrivals").getOrCreate()
books = spark.read.parquet("data/books")
schema = spark.read.parquet("data/arrivals").schema
arrivals = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet("data/arrivals")

by_subject = arrivals.join(books, "book").groupBy("subject").agg(F.count("*").alias("loans"), F.sum("kept").alias("days"))
query = by_subject.writeStream.outputMode("complete").format("memory").queryName("counts").trigger(availableNow=True).start()
query.awaitTermination()
