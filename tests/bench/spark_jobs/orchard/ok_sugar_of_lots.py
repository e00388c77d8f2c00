"""Mean sugar of each lot; most inspections are of lot 0, and are averaged where they are read."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("sugar").getOrCreate()
inspections = spark.read.parquet("data/inspections")
inspections.groupBy("lot").agg(F.avg("sugar").alias("sugar"), F.max("remark").alias("remark")).write.mode("overwrite").parquet("out/sugar")
