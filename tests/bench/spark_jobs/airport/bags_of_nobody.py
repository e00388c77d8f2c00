"""Each bag with whom it belongs to; most bags are cargo and have nobody. After a public question: a left join by a key that is null."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("bags of nobody").getOrCreate()
bags = spark.read.parquet("data/bags")
passengers = spark.read.parquet("data/passengers")

owned = bags.join(passengers, "passenger", "left")
label = F.concat_ws("/", "tag", "country", "card")
for _ in range(12):
    label = F.sha2(label, 512)
owned.select("flight", "belt", label.alias("label")).write.mode("overwrite").parquet("out/owned")
