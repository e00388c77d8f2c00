"""A trend for each branch and day, by pandas."""

import pandas as pd
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("trends").getOrCreate()
loans = spark.read.parquet("data/loans")


def trend(rows: pd.DataFrame) -> pd.DataFrame:
    lengths = [sum(ord(letter) for letter in slip) for slip in rows["slip"]]
    return pd.DataFrame({"branch": [rows["branch"].iloc[0]], "day": [rows["day"].iloc[0]], "length": [float(max(lengths))]})


loans.groupBy("branch", "day").applyInPandas(trend, "branch int, day int, length double").write.mode("overwrite").parquet("out/trends")
