from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

customers = spark.read.parquet("data/customers").limit(4000)
products = spark.read.parquet("data/products")
pairs = customers.crossJoin(products)
near = pairs.filter(F.levenshtein(F.col("city"), F.col("title")) < 4)
near.groupBy("product").count().write.mode("overwrite").parquet("out/near")
