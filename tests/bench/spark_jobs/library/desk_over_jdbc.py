"""Loans of each reader from the desk's database. After a public question: a JDBC table that is read by one task."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("desk").getOrCreate()
url = "jdbc:derby:data/desk"
driver = "org.apache.derby.jdbc.EmbeddedDriver"
desk = spark.read.format("jdbc").option("url", url).option("driver", driver).option("dbtable", "loans").load()

seal = F.col("slip")
for _ in range(12):
    seal = F.sha2(seal, 512)
sealed = desk.withColumn("seal", seal)
sealed.groupBy("reader").agg(F.max("seal").alias("seal"), F.sum("kept").alias("days")).write.mode("overwrite").parquet("out/desk")
