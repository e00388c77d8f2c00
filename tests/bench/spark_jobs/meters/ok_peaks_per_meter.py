"""The three highest readings of each meter."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("top3").getOrCreate()

of_meter = Window.partitionBy("meter").orderBy(F.col("kwh").desc(), "day")
top = spark.read.parquet("data/readings").withColumn("place", F.row_number().over(of_meter)).where("place <= 3")
top.select("meter", "day", "kwh", "place").write.mode("overwrite").parquet("out/top3")
