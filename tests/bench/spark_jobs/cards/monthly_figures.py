"""Two exports and a check of one table."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def prints(payments):
    value = F.concat("memo", "card")
    for _ in range(5):
        value = F.sha2(value, 512)
    return payments.withColumn("print", value)


def monthly(spark):
    payments = prints(spark.read.parquet("data/payments"))
    return payments.groupBy("card", F.month("paid_at").alias("month")).agg(F.max("print").alias("print"), F.sum("cents").alias("cents"))


def export(frame, name):
    frame.write.mode("overwrite").parquet(f"out/monthly/{name}")


if __name__ == "__main__":
    session = SparkSession.builder.appName("monthly").getOrCreate()
    figures = monthly(session)
    print(figures.where("cents < 0").count(), "below zero")
    export(figures.where("month = 1"), "january")
    export(figures.where("month = 2"), "february")
