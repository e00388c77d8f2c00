// How many guests were at a gate while the wind had closed the ridge.
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._

val spark = SparkSession.builder.appName("wind").getOrCreate()
import spark.implicits._

val scans = spark.read.parquet("data/scans").select("second", "lift", "waited")
val closures = spark.read.parquet("data/closures")

val caught = scans
  .join(closures, $"second" >= $"since" && $"second" < $"until")
  .groupBy("reason", "lift")
  .agg(count(lit(1)).as("guests"), sum("waited").as("waited"))

caught.write.mode("overwrite").parquet("out/wind")
