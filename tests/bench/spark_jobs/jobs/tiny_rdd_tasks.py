from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

numbers = spark.sparkContext.parallelize(range(20000), 400)
spark.createDataFrame(numbers.map(lambda n: (n, n * n)), ["n", "square"]).write.mode("overwrite").json("out/squares")
