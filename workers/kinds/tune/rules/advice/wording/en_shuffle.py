"""English: remedies of excess shuffle."""

from workers.kinds.tune.rules.advice.words import Words

SHUFFLE: dict[str, Words] = {
    "broadcast_join": Words(
        title="Broadcast {other} ({size}) in the place of shuffling both sides",
        what="{place} shuffles both sides, though {other} has only {size} in memory, below the limit of {limit}. Mark it with "
        "F.broadcast (in SQL with the hint /*+ BROADCAST({other}) */), so that the large side is joined where it is read.",
        pros=(
            "The large side is neither shuffled nor sorted for this join.",
            "The result stays the same.",
        ),
        cons=("Every executor and the driver hold {other} in memory, about twice its size as a hash table.",),
        risk="When {other} grows beyond what an executor holds, the job fails where it was slow before.",
        verify=(
            "The plan shows BroadcastHashJoin and BroadcastExchange in the place of SortMergeJoin.",
            "Shuffle bytes of {stages} are gone.",
        ),
    ),
    "remove_repartition": Words(
        title="Remove redundant repartition calls (line {lines})",
        what="{calls}: the next exchange moves the rows again before anybody makes use of where they lie; {bytes} are shuffled "
        "in vain. Take these calls out.",
        pros=(
            "Whole shuffles disappear.",
            "The result stays the same.",
        ),
        cons=("If a call was there to get more tasks for a slow step, set spark.sql.shuffle.partitions for that.",),
        risk="Rows may come out in another order where no sort asks for one.",
        verify=(
            "The plan has fewer Exchange nodes, none with REPARTITION.",
            "What {stages} did is gone or takes less time.",
        ),
    ),
    "remove_repartition_keep": Words(
        title="Remove redundant repartition calls (line {lines}) and partition once",
        what="{calls}: the next exchange moves the rows again before anybody makes use of where they lie; {bytes} are shuffled "
        "in vain. Take them out and keep {kept}: the steps after it find equal keys together and need no exchange of "
        "their own.",
        pros=(
            "Whole shuffles disappear, and one partitioning serves the steps that follow.",
            "The result stays the same.",
        ),
        cons=("If a call was there to get more tasks for a slow step, set spark.sql.shuffle.partitions for that.",),
        risk="Rows may come out in another order where no sort asks for one.",
        verify=(
            "The plan has one Exchange with REPARTITION_BY_COL and no RoundRobinPartitioning.",
            "What {stages} did is gone or takes less time.",
        ),
    ),
    "remove_sort": Words(
        title="Remove the redundant global sort {calls}",
        what="{calls} orders all rows, and the next exchange loses that order again; {bytes} are shuffled in vain, and "
        "everything below is run once more to sample the keys. Take the orderBy out, or sort the final result alone.",
        pros=(
            "One shuffle and one sampling pass less.",
            "The result stays the same.",
        ),
        cons=(),
        risk="Rows within a group come in another order: it matters only to first, last or a collected list, which the script "
        "does not use here.",
        verify=(
            "The plan has no rangepartitioning below the aggregation.",
            "What {stages} did is gone or takes less time.",
        ),
    ),
    "early_projection": Words(
        title="Select only the columns that are used, before the shuffle: drop {unused}",
        what="{bytes} are shuffled with {unused} of {table}, which nothing uses afterwards. Project them away before {place} "
        "(early projection: select what is needed, or drop what is not).",
        pros=(
            "Less is read, shuffled, sorted and spilled.",
            "The result stays the same.",
        ),
        cons=("A column that is needed later has to be added to the list again.",),
        risk="Nothing after the shuffle uses these columns, by the plan that ran.",
        verify=(
            "The Exchange carries fewer columns, and its shuffle bytes written drop.",
            "ReadSchema of the scan has fewer columns.",
        ),
    ),
    "early_projection_distinct": Words(
        title="Select only the columns that are used, before distinct and shuffle: drop {unused}",
        what="{bytes} are shuffled with {unused} of {table}, which nothing uses afterwards but a distinct, which compares "
        "whatever it is given. Project them away before {place} (select early), and keep what tells one row from another: "
        "{kept}. If that is unique, the distinct itself is redundant and can go, too.",
        pros=("Less is read, shuffled, compared and spilled.",),
        cons=("The distinct compares fewer columns.",),
        risk="The same result as long as rows that agree in the columns kept agree in {unused}, too: compare the count of the "
        "distinct once with and once without these columns.",
        verify=(
            "The Exchange carries fewer columns, and its shuffle bytes written drop.",
            "The distinct hands on as many rows as before.",
        ),
    ),
    "early_filter": Words(
        title="Filter before the shuffle: {dropped} of the rows are dropped after it",
        what="A filter by {columns} of {table} drops {dropped} of the rows after {bytes} were shuffled. It looks at columns of "
        "the table alone, so put it right behind the read, before {place}.",
        pros=(
            "Rows that are not wanted are neither shuffled nor sorted.",
            "Files may be skipped on reading.",
        ),
        cons=(),
        risk="The same result for inner joins and for filters on the side that an outer join keeps; on the other side look twice.",
        verify=(
            "The filter stands under the Exchange in the plan, or in PushedFilters of the scan.",
            "Shuffle records written drop by about {dropped}.",
        ),
    ),
    "reduce_by_key": Words(
        title="reduceByKey or aggregateByKey in the place of groupByKey",
        what="{finding} groupByKey sends every value over the network; reduceByKey and aggregateByKey combine the values of a "
        "key in each task first. With DataFrames, groupBy().agg() does so by itself.",
        pros=("At most one value a key and task is shuffled.",),
        cons=("What is computed has to be put together from parts.",),
        risk="The function has to be associative and commutative.",
        verify=("Shuffle bytes written drop; shuffled to read gets below 1.5.",),
    ),
    "less_volume": Words(
        title="Shuffle less: aggregate and select before the joins, partition once",
        what="{finding} {bytes} are shuffled for {read} read. Aggregate to the join's keys before joining, select the columns "
        "that are needed, and if the same keys are used several times, partition once by them (repartition by key and "
        "cache, or bucketBy on both tables).",
        pros=("Each step works on less.",),
        cons=("The steps of the script change their order.",),
        risk="Aggregating before a join is right for sums and counts by the join's keys; compare results.",
        verify=("Shuffled to read gets below 1.5.",),
    ),
    "less_volume_scope": Words(
        title="Shuffle less: aggregate and select before the joins, partition once",
        what="{finding} {bytes} are shuffled for {read} read. Aggregate to the join's keys before joining, select the columns that "
        "are needed where the input is read, and where several statements use the same keys, write the rowset CLUSTERED BY them "
        "once, so that joins and reduces after it find the rows where they need them.",
        pros=("Each step works on less.",),
        cons=("The statements of the script change their order.",),
        risk="Aggregating before a join is right for sums and counts by the join's keys; compare results.",
        verify=("Shuffled to read gets below 1.5.", "The data map shows fewer bytes between the stages."),
    ),
    "bucket_inputs": Words(
        title="Write both inputs of the join bucketed by its keys",
        what="{finding} If the same tables are joined by the same keys again and again, write them with bucketBy(n, "
        "keys).sortBy(keys) on both sides: a join of tables that lie alike needs no shuffle.",
        pros=("The shuffle is paid once, on writing.",),
        cons=("Both tables have to be written anew, with the same number of buckets.",),
        risk="Only tables saved with saveAsTable keep their buckets.",
        verify=("The plan shows no Exchange under the join.",),
    ),
    "partition_inputs_scope": Words(
        title="Partition both inputs by the join's keys",
        what="{finding} Write the inputs with CLUSTERED BY and PARTITIONED BY (HASH) of the join's keys and an explicit number "
        "of buckets, the same on both sides, or give a small side the hint BROADCASTLEFT or BROADCASTRIGHT; the join then "
        "reads what lies together.",
        pros=("The join does not partition its inputs again.",),
        cons=("The inputs have to be written with that layout.",),
        risk="The result stays the same.",
        verify=("The algebra shows no partition vertex before the join.",),
    ),
    "many_joins": Words(
        title="Fewer joins in one statement: aggregate or select between them",
        what="{finding} Join small tables to one another first, broadcast what is small, select the needed columns early, and "
        "store an intermediate result that several statements use.",
        pros=("Less is carried through each join.",),
        cons=("The script gets more statements.",),
        risk="The order of outer joins matters; compare results.",
        verify=("Fewer shuffles in the plan, with fewer bytes.",),
    ),
    "many_groupings": Words(
        title="Combine groupings by the same or nested keys",
        what="{finding} Group once by the finest keys and derive the coarser results from that, or use GROUPING SETS; "
        "partition once by the common keys.",
        pros=("The data is redistributed once.",),
        cons=("Averages and distinct counts cannot be derived from finer groups.",),
        risk="Compare the results of each grouping.",
        verify=("Fewer shuffles in the plan.",),
    ),
    "many_distincts": Words(
        title="Remove DISTINCTs that a key makes redundant",
        what="{finding} Each DISTINCT redistributes by all of its columns. Take out those over rows that a key makes unique, "
        "put them before the joins that multiply rows, or use an approximate count where that is enough.",
        pros=("One shuffle less for each.",),
        cons=("It has to be known which keys are unique.",),
        risk="Without a unique key the result changes.",
        verify=("Fewer aggregations without functions in the plan; the same number of rows.",),
    ),
}
