// Each guest's longest wait of the season, and at which gate it was.
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession

val spark = SparkSession.builder.appName("waits").getOrCreate()
import spark.implicits._

val scans = spark.read.parquet("data/scans")

val byPass = scans.rdd.map(scan => (scan.getAs[Int]("pass"), scan)).groupByKey(16)

val longest = byPass.mapValues { visits =>
  val worst = visits.maxBy(visit => visit.getAs[Int]("waited"))
  (worst.getAs[Int]("waited"), worst.getAs[String]("gate"))
}

longest
  .map { case (pass, (waited, gate)) => (pass, waited, gate) }
  .toDF("pass", "waited", "gate")
  .write
  .mode("overwrite")
  .parquet("out/longest_waits")
