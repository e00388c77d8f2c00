"""All letters about one parcel, in one text."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("letters").getOrCreate()
spark.read.parquet("data/claims").createOrReplaceTempView("claims")

STATEMENT = """
SELECT tracking,
       sha2(concat_ws('', sort_array(collect_list(letter))), 512) AS digest,
       count(*) AS letters
FROM claims
GROUP BY tracking
"""

digests = spark.sql(STATEMENT)
digests.write.mode("overwrite").parquet("out/letters")
