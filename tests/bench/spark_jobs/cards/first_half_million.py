"""The auditors asked for the prints of half a million payments, whichever."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("audit").getOrCreate()

some = spark.read.parquet("data/payments").limit(500_000)
value = F.concat_ws("|", "card", "memo", "merchant")
for _ in range(12):
    value = F.sha2(value, 512)
some.withColumn("print", value).write.mode("overwrite").parquet("out/audit")
