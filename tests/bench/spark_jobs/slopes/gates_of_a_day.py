"""What the gates sent: a seal over each line, and the longest queue of each lift."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

SENT = "data/telemetry.csv.gz"
FIELDS = StructType(
    [
        StructField("lift", IntegerType()),
        StructField("second", IntegerType()),
        StructField("waited", IntegerType()),
        StructField("gate", StringType()),
        StructField("picture", StringType()),
    ]
)

spark = SparkSession.builder.appName("gates").getOrCreate()
lines = spark.read.schema(FIELDS).csv(SENT)

seal = F.concat("gate", "picture")
for _ in range(5):
    seal = F.sha2(seal, 512)
queues = lines.withColumn("seal", seal).groupBy("lift").agg(F.max("waited").alias("longest"), F.max("seal").alias("seal"))
queues.write.mode("overwrite").parquet("out/queues")
