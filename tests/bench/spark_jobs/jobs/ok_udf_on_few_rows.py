from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


@F.udf("string")
def label(amount):
    return f"{amount / 1000:.1f}k"


orders = spark.read.parquet("data/orders")
orders.groupBy("country").agg(F.sum("amount").alias("amount")).withColumn("label", label("amount")).write.mode("overwrite").parquet(
    "out/labels"
)
