"""Bills, complaints and a total from one costly table."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("extracts").getOrCreate()


def sealed(readings: DataFrame) -> DataFrame:
    seal = F.col("payload")
    for _ in range(8):
        seal = F.sha2(F.concat(seal, F.col("meter")), 512)
    return readings.withColumn("seal", seal)


per_meter = sealed(spark.read.parquet("data/readings")).groupBy("meter").agg(F.sum("kwh").alias("kwh"), F.min("seal").alias("seal"))
per_meter.where("kwh >= 50").write.mode("overwrite").parquet("out/bills")
per_meter.where("kwh < 50").write.mode("overwrite").parquet("out/complaints")
print(per_meter.agg(F.sum("kwh")).first())
