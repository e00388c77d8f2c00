from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
scored = orders.withColumn(
    "score", F.crc32(F.sha2(F.concat_ws("|", *[F.sha2(F.concat("note", F.lit(str(i))), 512) for i in range(6)]), 512))
)
for country in range(4):
    part = scored.filter(F.col("score") % 4 == country).groupBy("product").agg(F.avg("score").alias("score"))
    part.write.mode("overwrite").parquet(f"out/scores_{country}")
