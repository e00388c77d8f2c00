"""Heaviest box that stood in each slot."""

from pyspark.sql import Row, SparkSession


def slot_of(move: Row) -> tuple[int, int]:
    parts = move.position.split(":")
    return int(parts[1]), move.kilograms


def heavier(left: int, right: int) -> int:
    return left if left > right else right


spark = SparkSession.builder.appName("slots").getOrCreate()
moves = spark.read.parquet("data/moves")

heaviest = moves.rdd.map(slot_of).reduceByKey(heavier)
heaviest.toDF(["slot", "kilograms"]).write.mode("overwrite").parquet("out/slots")
