"""Bags of each flight as they come, for the belts and for the desk. After a public issue: several writes of one stateful batch."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("belts of each batch").getOrCreate()
schema = spark.read.parquet("data/bags_in").schema
bags_in = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).parquet("data/bags_in")

seal = F.col("tag")
for _ in range(20):
    seal = F.sha2(seal, 512)
by_flight = bags_in.groupBy("flight", "belt").agg(F.count("*").alias("bags"), F.max("tag").alias("tag")).withColumn("seal", seal)


def tell(batch, number):
    print(number, batch.count())
    batch.groupBy("belt").agg(F.sum("bags").alias("bags"), F.max("seal").alias("seal")).write.mode("overwrite").parquet(
        f"out/belts/{number}"
    )
    batch.filter("bags > 1").write.mode("overwrite").parquet(f"out/desk/{number}")
    batch.filter(F.col("seal").startswith("00")).write.mode("overwrite").parquet(f"out/checked/{number}")


query = by_flight.writeStream.outputMode("update").option("checkpointLocation", "out/belts_state").foreachBatch(tell)
query.trigger(availableNow=True).start().awaitTermination()
