from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

spark = SparkSession.builder.getOrCreate()


@F.udf(StringType())
def clean(text):
    return " ".join(text.strip().lower().replace("-", " ").split())


orders = spark.read.parquet("data/orders")
cleaned = orders.withColumn("note_clean", clean("note"))
cleaned.groupBy("country").agg(F.countDistinct("note_clean").alias("notes")).write.mode("overwrite").parquet("out/notes")
