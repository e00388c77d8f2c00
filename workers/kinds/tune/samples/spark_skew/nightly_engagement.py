"""Every night: page views with the country of their visitor, and the time spent on each page by country."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("nightly-engagement").getOrCreate()

views = spark.read.parquet("/data/page_views")
visitors = spark.read.parquet("/data/visitors")

# visitor_id is 0 for views without a login
enriched = views.join(visitors, "visitor_id", "left")
enriched.write.mode("overwrite").parquet("/data/enriched_views")

by_country = enriched.groupBy("country_id", "page_id").agg(F.sum("seconds").alias("seconds"))
by_country.write.mode("overwrite").parquet("/data/engagement")
