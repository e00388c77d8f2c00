"""Two reports from one table that is kept in memory."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("reports").getOrCreate()

seals = spark.read.parquet("data/readings").withColumn("seal", F.sha2(F.concat("payload", "meter"), 512))
by_feeder = seals.groupBy("feeder", "quality").agg(F.sum("kwh").alias("kwh"), F.max("seal").alias("seal")).cache()
by_feeder.where("quality = 'ok'").write.mode("overwrite").parquet("out/report_ok")
by_feeder.where("quality <> 'ok'").write.mode("overwrite").parquet("out/report_rest")
by_feeder.unpersist()
