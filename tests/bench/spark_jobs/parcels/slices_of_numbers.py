"""Checks the digits of all labels that are still free."""

from pyspark.sql import SparkSession


def check_digit(number):
    weights = (8, 6, 4, 2, 3, 5, 9, 7)
    rest = sum(weight * int(digit) for weight, digit in zip(weights, f"{number:08d}", strict=True)) % 11
    return number, {0: 5, 1: 0}.get(rest, 11 - rest)


spark = SparkSession.builder.appName("digits").getOrCreate()
sc = spark.sparkContext

free = sc.parallelize(range(5000), 600)
checked = free.map(check_digit)
print(checked.values().sum())
