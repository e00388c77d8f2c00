"""The plays of each device in a folder of its own, as files of a good size."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("archive").getOrCreate()
spark.read.parquet("data/plays").drop("trace").repartition("device").write.partitionBy("device").mode("overwrite").parquet("out/archive")
