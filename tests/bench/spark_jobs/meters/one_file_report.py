"""The regulator wants a single file."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("regulator").getOrCreate()

report = (
    spark.read.parquet("data/readings")
    .coalesce(1)
    .withColumn("seal", F.sha2(F.concat_ws("|", F.sha2("payload", 512), F.sha2("meter", 512), F.sha2(F.reverse("payload"), 512)), 512))
    .groupBy("feeder", "quality")
    .agg(F.sum("kwh").alias("kwh"), F.max("seal").alias("seal"))
)
report.write.mode("overwrite").csv("out/regulator", header=True)
