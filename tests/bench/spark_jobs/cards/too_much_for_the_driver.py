"""All payments of one currency in a list."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("list").getOrCreate()
chosen = spark.read.parquet("data/payments").where("currency <> 'EUR'")

rows = chosen.select("card", "memo", "cents").collect()
print(len(rows))
