from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

clicks = spark.read.parquet("data/clicks")
customers = spark.read.parquet("data/customers")
joined = clicks.join(customers, "customer", "full")
joined.withColumn("mark", F.sha2(F.concat_ws("|", "page", "city"), 512)).groupBy("city").agg(F.max("mark").alias("mark")).write.mode(
    "overwrite"
).parquet("out/marks")
