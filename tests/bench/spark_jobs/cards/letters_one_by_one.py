"""Counts the words that the letters begin with; the driver goes through them one by one."""

from collections import Counter

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("letters").getOrCreate()
letters = spark.read.parquet("data/disputes").select("letter", "cents")

words = Counter()
for row in letters.toLocalIterator():
    words[row.letter[:2]] += row.cents
print(words.most_common(3))
