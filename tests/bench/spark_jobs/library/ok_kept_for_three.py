"""Three reports from a table that is kept, and fits."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("three").getOrCreate()
loans = spark.read.parquet("data/loans")

seal = F.col("slip")
for _ in range(6):
    seal = F.sha2(seal, 512)
by_reader = loans.withColumn("seal", seal).groupBy("reader", "branch").agg(F.max("seal").alias("seal"), F.count("*").alias("loans")).cache()
by_reader.groupBy("branch").agg(F.max("seal")).write.mode("overwrite").parquet("out/three/branches")
by_reader.groupBy("loans").agg(F.max("seal")).write.mode("overwrite").parquet("out/three/loans")
by_reader.filter("loans > 3").write.mode("overwrite").parquet("out/three/often")
