"""Payments in one currency, a file for each country."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def converted(spark):
    payments, rates = spark.read.parquet("data/payments"), spark.read.parquet("data/rates")
    return payments.join(rates, "currency").withColumn("euros", F.col("cents") * F.col("rate") / 100)


def main():
    spark = SparkSession.builder.appName("converted").getOrCreate()
    cards = spark.read.parquet("data/cards").select("card", "country")
    by_country = converted(spark).join(cards, "card").groupBy("country").agg(F.sum("euros").alias("euros"))
    by_country.write.mode("overwrite").parquet("out/converted")


main()
