from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

clicks = spark.read.parquet("data/clicks")
pages = clicks.groupBy("customer").agg(F.collect_list("page").alias("pages"))
pages.select("customer", F.size("pages").alias("pages"), F.sha2(F.concat_ws("|", F.col("pages")), 256).alias("mark")).write.mode(
    "overwrite"
).parquet("out/pages")
