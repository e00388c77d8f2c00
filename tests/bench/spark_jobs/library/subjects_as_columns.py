"""Loans of each reader by subject. After a public question: a pivot without its values looks for them first."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("subjects as columns").getOrCreate()
loans = spark.read.parquet("data/loans")
books = spark.read.parquet("data/books")

mark = F.col("slip")
for _ in range(8):
    mark = F.sha2(mark, 512)
marked = loans.withColumn("mark", mark).filter(~F.col("mark").startswith("00"))
seen = marked.join(F.broadcast(books), "book")
table = seen.groupBy("reader").pivot("subject").agg(F.count("*"))
table.write.mode("overwrite").parquet("out/subjects_as_columns")
