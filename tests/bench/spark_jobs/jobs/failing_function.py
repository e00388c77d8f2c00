from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType

spark = SparkSession.builder.getOrCreate()


@F.udf(DoubleType())
def rate(note):
    return 1.0 / (len(note) - len(note))


orders = spark.read.parquet("data/orders")
orders.withColumn("rate", rate("note")).write.mode("overwrite").parquet("out/rates")
