# ruff: noqa: E501, W291 lines as Spark prints them
"""Plans as Spark 3.5.9 prints them."""

BY_RANGE = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[country#7], functions=[count(1)])
   +- Exchange hashpartitioning(country#7, 200), ENSURE_REQUIREMENTS, [plan_id=113]
      +- HashAggregate(keys=[country#7], functions=[partial_count(1)])
         +- Project [country#7]
            +- CartesianProduct ((user_id#0L >= user_id#6L) AND (user_id#0L < (user_id#6L + 10)))
               :- Filter isnotnull(user_id#0L)
               :  +- FileScan parquet [user_id#0L] Batched: true, DataFilters: [isnotnull(user_id#0L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/events], PartitionFilters: [], PushedFilters: [IsNotNull(user_id)], ReadSchema: struct<user_id:bigint>
               +- Filter isnotnull(user_id#6L)
                  +- FileScan parquet [user_id#6L,country#7] Batched: true, DataFilters: [isnotnull(user_id#6L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/users], PartitionFilters: [], PushedFilters: [IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,country:string>
"""

FILTERED_BY_CAST = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Project [user_id#0L, day#1, v#2, country#7, pythonUDF0#117 AS c#111]
   +- BatchEvalPython [<lambda>(country#7)#110], [pythonUDF0#117]
      +- Project [user_id#0L, day#1, v#2, country#7]
         +- BroadcastHashJoin [user_id#0L], [user_id#6L], Inner, BuildRight, false
            :- Filter ((isnotnull(day#1) AND (cast(day#1 as date) = 2026-01-05)) AND isnotnull(user_id#0L))
            :  +- FileScan parquet [user_id#0L,day#1,v#2] Batched: true, DataFilters: [isnotnull(day#1), (cast(day#1 as date) = 2026-01-05), isnotnull(user_id#0L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/events], PartitionFilters: [], PushedFilters: [IsNotNull(day), IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,day:string,v:double>
            +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=350]
               +- Filter isnotnull(user_id#6L)
                  +- FileScan parquet [user_id#6L,country#7] Batched: true, DataFilters: [isnotnull(user_id#6L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/users], PartitionFilters: [], PushedFilters: [IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,country:string>
"""

ALL_PARTITIONS = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[user_id#15L], functions=[count(1)])
   +- Exchange hashpartitioning(user_id#15L, 200), ENSURE_REQUIREMENTS, [plan_id=464]
      +- HashAggregate(keys=[user_id#15L], functions=[partial_count(1)])
         +- Project [user_id#15L]
            +- FileScan parquet [user_id#15L,day#17] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/by_day], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<user_id:bigint>
"""

ONE_PARTITION = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[user_id#15L], functions=[count(1)])
   +- Exchange hashpartitioning(user_id#15L, 200), ENSURE_REQUIREMENTS, [plan_id=479]
      +- HashAggregate(keys=[user_id#15L], functions=[partial_count(1)])
         +- Project [user_id#15L]
            +- FileScan parquet [user_id#15L,day#17] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/by_day], PartitionFilters: [isnotnull(day#17), (day#17 = 2026-01-05)], PushedFilters: [], ReadSchema: struct<user_id:bigint>
"""

READ_THREE_TIMES = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Project [user_id#0L, count#122L, sum(v)#129, max(v)#143]
   +- BroadcastHashJoin [user_id#0L], [user_id#146L], Inner, BuildRight, false
      :- Project [user_id#0L, count#122L, sum(v)#129]
      :  +- BroadcastHashJoin [user_id#0L], [user_id#132L], Inner, BuildLeft, false
      :     :- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, true]),false), [plan_id=429]
      :     :  +- HashAggregate(keys=[user_id#0L], functions=[count(1)])
      :     :     +- Exchange hashpartitioning(user_id#0L, 200), ENSURE_REQUIREMENTS, [plan_id=424]
      :     :        +- HashAggregate(keys=[user_id#0L], functions=[partial_count(1)])
      :     :           +- Project [user_id#0L]
      :     :              +- Filter ((isnotnull(v#2) AND (v#2 > 0.5)) AND isnotnull(user_id#0L))
      :     :                 +- FileScan parquet [user_id#0L,v#2] Batched: true, DataFilters: [isnotnull(v#2), (v#2 > 0.5), isnotnull(user_id#0L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/events], PartitionFilters: [], PushedFilters: [IsNotNull(v), GreaterThan(v,0.5), IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,v:double>
      :     +- HashAggregate(keys=[user_id#132L], functions=[sum(v#134)])
      :        +- Exchange hashpartitioning(user_id#132L, 200), ENSURE_REQUIREMENTS, [plan_id=426]
      :           +- HashAggregate(keys=[user_id#132L], functions=[partial_sum(v#134)])
      :              +- Filter ((isnotnull(v#134) AND (v#134 <= 0.5)) AND isnotnull(user_id#132L))
      :                 +- FileScan parquet [user_id#132L,v#134] Batched: true, DataFilters: [isnotnull(v#134), (v#134 <= 0.5), isnotnull(user_id#132L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/events], PartitionFilters: [], PushedFilters: [IsNotNull(v), LessThanOrEqual(v,0.5), IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,v:double>
      +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, true]),false), [plan_id=435]
         +- HashAggregate(keys=[user_id#146L], functions=[max(v#148)])
            +- Exchange hashpartitioning(user_id#146L, 200), ENSURE_REQUIREMENTS, [plan_id=432]
               +- HashAggregate(keys=[user_id#146L], functions=[partial_max(v#148)])
                  +- Filter isnotnull(user_id#146L)
                     +- FileScan parquet [user_id#146L,v#148] Batched: true, DataFilters: [isnotnull(user_id#146L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/events], PartitionFilters: [], PushedFilters: [IsNotNull(user_id)], ReadSchema: struct<user_id:bigint,v:double>
"""

FORMATTED = """== Physical Plan ==
AdaptiveSparkPlan (16)
+- Sort (15)
   +- Exchange (14)
      +- HashAggregate (13)
         +- Exchange (12)
            +- HashAggregate (11)
               +- Project (10)
                  +- SortMergeJoin Inner (9)
                     :- Sort (4)
                     :  +- Exchange (3)
                     :     +- Filter (2)
                     :        +- Scan parquet  (1)
                     +- Sort (8)
                        +- Exchange (7)
                           +- Filter (6)
                              +- Scan parquet  (5)


(1) Scan parquet 
Output [2]: [user_id#0L, v#2]
Batched: true
Location: InMemoryFileIndex [file:/data/events]
PushedFilters: [IsNotNull(user_id)]
ReadSchema: struct<user_id:bigint,v:double>

(2) Filter
Input [2]: [user_id#0L, v#2]
Condition : isnotnull(user_id#0L)

(3) Exchange
Input [2]: [user_id#0L, v#2]
Arguments: hashpartitioning(user_id#0L, 200), ENSURE_REQUIREMENTS, [plan_id=247]

(4) Sort
Input [2]: [user_id#0L, v#2]
Arguments: [user_id#0L ASC NULLS FIRST], false, 0

(5) Scan parquet 
Output [2]: [user_id#6L, country#7]
Batched: true
Location: InMemoryFileIndex [file:/data/users]
PushedFilters: [IsNotNull(user_id)]
ReadSchema: struct<user_id:bigint,country:string>

(6) Filter
Input [2]: [user_id#6L, country#7]
Condition : isnotnull(user_id#6L)

(7) Exchange
Input [2]: [user_id#6L, country#7]
Arguments: hashpartitioning(user_id#6L, 200), ENSURE_REQUIREMENTS, [plan_id=248]

(8) Sort
Input [2]: [user_id#6L, country#7]
Arguments: [user_id#6L ASC NULLS FIRST], false, 0

(9) SortMergeJoin
Left keys [1]: [user_id#0L]
Right keys [1]: [user_id#6L]
Join type: Inner
Join condition: None

(10) Project
Output [2]: [v#2, country#7]
Input [4]: [user_id#0L, v#2, user_id#6L, country#7]

(11) HashAggregate
Input [2]: [v#2, country#7]
Keys [1]: [country#7]
Functions [1]: [partial_sum(v#2)]
Aggregate Attributes [1]: [sum#90]
Results [2]: [country#7, sum#91]

(12) Exchange
Input [2]: [country#7, sum#91]
Arguments: hashpartitioning(country#7, 200), ENSURE_REQUIREMENTS, [plan_id=255]

(13) HashAggregate
Input [2]: [country#7, sum#91]
Keys [1]: [country#7]
Functions [1]: [sum(v#2)]
Aggregate Attributes [1]: [sum(v#2)#86]
Results [2]: [country#7, sum(v#2)#86 AS sum(v)#87]

(14) Exchange
Input [2]: [country#7, sum(v)#87]
Arguments: rangepartitioning(country#7 ASC NULLS FIRST, 200), ENSURE_REQUIREMENTS, [plan_id=258]

(15) Sort
Input [2]: [country#7, sum(v)#87]
Arguments: [country#7 ASC NULLS FIRST], true, 0

(16) AdaptiveSparkPlan
Output [2]: [country#7, sum(v)#87]
Arguments: isFinalPlan=false
"""
