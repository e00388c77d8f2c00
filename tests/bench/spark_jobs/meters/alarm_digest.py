"""One digest of all alarm texts of a household."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("digest").getOrCreate()

alarms = spark.read.parquet("data/alarms")
texts = alarms.groupBy("household").agg(F.sort_array(F.collect_list("text")).alias("texts"), F.count("*").alias("alarms"))
digests = texts.withColumn("digest", F.sha2(F.concat_ws("", "texts"), 512)).drop("texts")
digests.write.mode("overwrite").parquet("out/digests")
