// The season's figures of each kind of pass, for accounting, for the valleys and for the screen in the lobby.
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._

object Books {
  def sealedBy(rows: DataFrame, column: String, rounds: Int): DataFrame =
    (1 to rounds).foldLeft(rows.withColumn("seal", col(column)))((made, _) => made.withColumn("seal", sha2(col("seal"), 512)))
}

val spark = SparkSession.builder.appName("books").getOrCreate()

val scans = spark.read.parquet("data/scans")
val passes = spark.read.parquet("data/passes")

val perVillage = Books
  .sealedBy(scans, "picture", 6)
  .join(passes, "pass")
  .groupBy("kind", "village")
  .agg(max("seal").as("seal"), sum("waited").as("waited"), count(lit(1)).as("scans"))

perVillage.write.mode("overwrite").parquet("out/books")
perVillage.filter(col("kind") === "season").write.mode("overwrite").option("header", "true").csv("out/books_season")
println(perVillage.agg(max("seal"), sum("scans")).head)
