"""A folder for each subject. After a public question: a loop over distinct values, each filtered, joined and written by itself."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("subjects").getOrCreate()
loans = spark.read.parquet("data/loans")
books = spark.read.parquet("data/books")
subjects = [row.subject for row in books.select("subject").distinct().orderBy("subject").collect()]

for subject in subjects:
    own = loans.join(books, "book").filter(F.col("subject") == subject)
    by_reader = own.groupBy("reader").agg(F.count("*").alias("loans"), F.max("slip").alias("slip"))
    by_reader.write.mode("overwrite").parquet(f"out/subjects/{subject}")
