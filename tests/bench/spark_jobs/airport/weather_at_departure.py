"""The last reading before each departure. After a public question: the nearest earlier row of another table."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("weather at departure").getOrCreate()
flights = spark.read.parquet("data/flights").filter("leaves < 129600").select("flight", "terminal", "leaves")
readings = spark.read.parquet("data/readings")

earlier = flights.join(readings, "terminal").filter(F.col("read") <= F.col("leaves"))
latest = F.max("read").over(Window.partitionBy("flight"))
at_departure = earlier.withColumn("latest", latest).filter(F.col("read") == F.col("latest"))
at_departure.select("flight", "leaves", "read", "wind", "rain").write.mode("overwrite").parquet("out/at_departure")
