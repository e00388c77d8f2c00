from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

orders = spark.read.parquet("data/orders")
total = {}
for row in orders.select("customer", "amount", "note").collect():
    total[row["customer"]] = total.get(row["customer"], 0) + row["amount"] * len(row["note"])
spark.createDataFrame(list(total.items()), ["customer", "total"]).write.mode("overwrite").parquet("out/total")
