// What the guests at the gates had rented. Rentals were few when this was written.
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.{broadcast, max, sum}

val spark = SparkSession.builder.appName("skis").getOrCreate()

val scans = spark.read.parquet("data/scans").select("pass", "lift", "gate")
val rentals = spark.read.parquet("data/rentals")

val rented = scans.join(broadcast(rentals), "pass")

rented.groupBy("lift", "item").agg(sum("cents").as("cents"), max("remark").as("remark")).write.mode("overwrite").parquet("out/skis")
