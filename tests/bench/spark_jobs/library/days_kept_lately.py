"""How widely the days that a book is kept were spread over the last month, at each of its loans."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("kept lately").getOrCreate()
loans = spark.read.parquet("data/loans").filter("reader % 25 = 0")

month = Window.partitionBy("book").orderBy("day").rangeBetween(-30, 0)
spread = loans.withColumn("spread", F.stddev("kept").over(month))
spread.groupBy("branch").agg(F.max("spread").alias("spread"), F.max("slip").alias("slip")).write.mode("overwrite").parquet("out/lately")
