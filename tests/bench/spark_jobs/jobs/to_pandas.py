from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
frame = orders.toPandas()
by_country = frame.groupby("country")["amount"].sum().reset_index()
spark.createDataFrame(by_country).write.mode("overwrite").parquet("out/by_country")
