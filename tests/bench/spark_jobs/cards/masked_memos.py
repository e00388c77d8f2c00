"""Memos without digits, by a function that the analysts wrote for their notebooks."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("memos").getOrCreate()


def mask(memo):
    return "".join("#" if letter.isdigit() else letter for letter in memo)


spark.udf.register("mask", mask)
spark.read.parquet("data/payments").createOrReplaceTempView("payments")

masked = spark.sql("""
    SELECT currency,
           mask(memo) AS memo,
           cents
    FROM payments
""")
masked.groupBy("currency").agg({"memo": "max", "cents": "sum"}).write.mode("overwrite").parquet("out/memos")
