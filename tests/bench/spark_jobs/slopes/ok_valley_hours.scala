// Guests of each valley and hour.
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._

val spark = SparkSession.builder.appName("valleys").getOrCreate()
import spark.implicits._

val lifts = spark.read.parquet("data/lifts")
val scans = spark.read.parquet("data/scans")

scans
  .join(broadcast(lifts), Seq("lift"))
  .groupBy($"valley", floor($"second" / 3600).as("hour"))
  .agg(count(lit(1)).as("scans"), avg("waited").as("waited"), max("picture").as("last_picture"))
  .write
  .mode("overwrite")
  .parquet("out/valley_hours")
