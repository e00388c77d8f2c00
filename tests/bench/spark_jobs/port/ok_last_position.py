"""Where each box was put last."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("last").getOrCreate()
by_box = Window.partitionBy("box").orderBy(F.desc("second"), "crane")

moves = spark.read.parquet("data/moves").select("box", "second", "crane", "position")
last = moves.withColumn("place", F.row_number().over(by_box)).where("place = 1").drop("place")
last.write.mode("overwrite").parquet("out/last")
