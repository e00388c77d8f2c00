"""Titles of the loans, the one book that many borrow cut into sixteen parts."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("salted").getOrCreate()
loans = spark.read.parquet("data/loans").withColumn("salt", F.pmod(F.hash("reader"), F.lit(16)).cast("long"))
wishes = spark.read.parquet("data/books")
salts = spark.range(16).withColumnRenamed("id", "salt")

copies = wishes.crossJoin(salts)
titled = loans.join(copies, ["book", "salt"])
titled.groupBy("subject").agg(F.count("*").alias("loans"), F.max("slip").alias("slip")).write.mode("overwrite").parquet("out/salted")
