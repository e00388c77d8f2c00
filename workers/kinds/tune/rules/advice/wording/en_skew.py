"""English: remedies of data skew."""

from workers.kinds.tune.rules.advice.words import Words

SKEW: dict[str, Words] = {
    "filter_sentinel": Words(
        title="Handle the sentinel key {column} = {values} of {table} apart from the join",
        what="{keys}: a stand-in for an unknown key, and all of its rows go to one task of {stages}. Join these rows apart, "
        "with a broadcast of the few rows they meet, and put the results together; {place} then only has keys that "
        "spread. If nobody needs rows without a known {column}, filter them out before the join instead.",
        pros=(
            "The heavy task disappears for good, on every version of Spark.",
            "The result is the same row for row.",
        ),
        cons=(
            "{table} is scanned twice.",
            "A new stand-in value would have to be added to the list.",
        ),
        risk="Joining apart changes no result; filtering does, so ask who reads the rows with {column} = {values}.",
        verify=(
            "The heaviest task of the join reads about as much as the usual one.",
            "The number of rows written is the same as before.",
        ),
    ),
    "split_hot_keys": Words(
        title="Split off the hot keys of {table}.{column} ({values}) and join them by broadcast",
        what="{keys}. Each hot key is one task's work in {stages}. Join its rows apart, with a broadcast of the few rows they "
        "meet on the other side, and put both results together; {place} then only has keys that spread.",
        pros=(
            "The hot keys are spread over all tasks that read {table}.",
            "The result is the same row for row.",
        ),
        cons=(
            "The list of hot keys ages: look at it again when the data changes.",
            "{table} is scanned twice.",
        ),
        risk="Right as long as the other side has few rows for each hot key; the broadcast of millions would not fit.",
        verify=(
            "The heaviest task of the join reads about as much as the usual one.",
            "The number of rows written is the same as before.",
        ),
    ),
    "keys_apart_scope": Words(
        title="Join the heavy key {column} = {values} of {table} in a statement of its own",
        what="{keys}; all rows of a key go to one vertex of {stages}. Join the rows of this key in one statement (WHERE {column} == "
        "{values}, the small side with BROADCASTRIGHT) and the others in a second one (WHERE {column} != {values}), and put both "
        "together with UNION ALL; {place} then only has keys that spread. If nobody needs the rows of this key, filter them out "
        "before the join instead.",
        pros=("The hot key no longer decides when the job ends.", "The result is the same row for row."),
        cons=("{table} is read by two statements.", "The list of heavy keys ages: look at it again when the data changes."),
        risk="Joining apart changes no result; filtering does, so ask who reads the rows with {column} = {values}.",
        verify=(
            "The vertex statistics of the stage show no vertex far above the others in data read.",
            "The number of rows written is the same as before.",
        ),
    ),
    "broadcast_for_skew": Words(
        title="Broadcast {other}, so that the hot keys need no shuffle",
        what="{other} has {size} in memory, below the limit of {limit}. With {other} in every executor {table} is joined where "
        "it is read, and the hot keys no longer meet in one task: {keys}.",
        pros=("No shuffle of the large side at all, so no partition can be heavy.",),
        cons=("Every executor and the driver hold the table in memory, about twice its size as a hash table.",),
        risk="When {other} grows beyond what an executor holds, the job fails where it was slow before.",
        verify=(
            "The plan shows BroadcastHashJoin in the place of SortMergeJoin.",
            "The stage with the heavy task is gone.",
        ),
    ),
    "skew_join": Words(
        title="Let adaptive execution (AQE) cut the skewed partitions: skewJoin",
        what="Spark cuts a partition of a sort-merge join that is several times the median and larger than its threshold. The "
        "heaviest one of {stages} has {heaviest}; the settings below make Spark see it as skewed. The reason: {keys}.",
        pros=("Configuration only, and it follows the data when other keys become hot.",),
        cons=("It helps joins only, and cuts only between map outputs: the rows of one map task stay together.",),
        risk="The result stays the same; taken back by removing the settings.",
        verify=(
            "The plan shows SortMergeJoin(skew=true), and AQEShuffleRead names skewed partitions.",
            "The join runs more tasks, none far above the median.",
        ),
    ),
    "salt_join": Words(
        title="Salt {column}: spread each key over {salts} tasks",
        what="{keys}. Give each row of the skewed side a salt from 0 to {last}, make {salts} copies of the other side's "
        "rows with one salt each, and join by key and salt; {place} then spreads every key over {salts} tasks.",
        pros=("It needs no list of hot keys, and works on every version of Spark.",),
        cons=(
            "The other side is shuffled {salts} times as large.",
            "One more column, and code that has to be explained.",
        ),
        risk="The salt needs a fixed seed, so that a task that runs again deals the same salts.",
        verify=(
            "The heaviest task of the join reads about as much as the usual one.",
            "The number of rows written is the same as before.",
        ),
    ),
    "salt_key": Words(
        title="Salt the heavy key: spread it over {salts} tasks",
        what="{finding} Add a salt from 0 to {last} to {column} where {place} redistributes: an aggregation then runs in "
        "two stages, by key and salt, then by key; a join gets {salts} copies of its other side. With the table's key "
        "statistics the hot key could be named.",
        pros=("It needs no list of hot keys.",),
        cons=("A second, small stage or a larger other side.",),
        risk="Only what can be put together from parts (sums, counts, lists) may be computed in two stages.",
        verify=("The heaviest task of {stages} has about as much data as the usual one.",),
    ),
    "salt_scope": Words(
        title="Take the hot key apart, or salt it: SCOPE and U-SQL",
        what="{finding} Aggregate or join the hot key in a statement of its own (WHERE {column} == ... and != ...) and UNION "
        "ALL both; or add a salt column (a hash of another column modulo {salts}), reduce by {column} and salt, then by "
        "{column}. For a join add OPTION(SKEWFACTOR({column}) = 1) so that the optimiser expects the skew, and mark "
        "associative reducers [SqlUserDefinedReducer(IsRecursive = true)].",
        pros=("The hot key no longer decides when the job ends.",),
        cons=("One more statement, or one more stage.",),
        risk="A recursive reducer has to be associative: check it before it is marked.",
        verify=("The vertex statistics of the stage show no vertex far above the others in data read.",),
    ),
    "two_stage_aggregation": Words(
        title="Aggregate in two stages: by {column} and a salt, then by {column}",
        what="{keys}; what is computed here cannot be combined before the shuffle, so all rows of a hot key go to one task of "
        "{stages}. Aggregate by {column} and a salt of {salts} values first and put the parts together by {column} "
        "afterwards, in {place}. An exact percentile can become percentile_approx, which combines before the shuffle.",
        pros=(
            "The rows of a hot key are spread over {salts} tasks.",
            "Works on every version of Spark.",
        ),
        cons=(
            "A second shuffle, of the parts.",
            "A collected list still ends in one row of one task: ask whether all of it is needed.",
        ),
        risk="The order within a collected list may change; averages and distinct counts cannot be added up from parts.",
        verify=(
            "In the first of both stages the heaviest task reads about as much as the usual one.",
            "Some hot keys give the same values as before.",
        ),
    ),
    "count_instead_of_list": Words(
        title="Count in the place of collecting: {list} is only used for its size",
        what="{place} collects a list for each {column}, and nothing but its size is used afterwards. count gives the same "
        "number, is combined before the shuffle, and a hot key sends one row from each task in the place of all of them. "
        "Here {keys}.",
        pros=(
            "The skew is gone together with most of the shuffle.",
            "Less memory: no lists are built.",
        ),
        cons=("Should the items be needed later, the list has to come back, in two stages.",),
        risk="The same numbers: a list leaves nulls out, and so does count of a column.",
        verify=(
            "A fraction of the bytes is shuffled, evenly.",
            "The plan shows partial_count before the Exchange.",
        ),
    ),
    "sentinel_group": Words(
        title="Filter the sentinel key {column} = {values} before the aggregation",
        what="{keys}: a stand-in for an unknown key. A result for it rarely means anything; filter its rows before {place}, or "
        "aggregate them apart without a shuffle.",
        pros=("The heavy task of {stages} disappears.",),
        cons=("The result has no row for {values} any more, unless it is computed apart.",),
        risk="It changes the result: ask who reads the row of {values}.",
        verify=("The heaviest task of {stages} reads about as much as the usual one.",),
    ),
    "hot_keys_group": Words(
        title="Take the hot keys {values} of {column} out and compute them apart",
        what="{keys}. Compute these hot keys in a branch of their own, where they can be spread by another column, and put "
        "both results together with a union, in {place}.",
        pros=("Only the hot keys are treated differently.",),
        cons=(
            "The list of hot keys ages.",
            "{table} is scanned twice.",
        ),
        risk="Both branches have to compute the same.",
        verify=("The heaviest task of {stages} reads about as much as the usual one.",),
    ),
    "window_in_two_steps": Words(
        title="Rank in two steps: within {column} and a salt, then within {column}",
        what="{keys}; a window needs all rows of its key in one task, here {place}. For a top-n, keep the first n within "
        "{column} and a salt of {salts} values, then rank the few that are left; for running sums, take the hot key apart "
        "or partition the window by one more column.",
        pros=("Most rows of a hot key are gone before they meet.",),
        cons=("Two windows in the place of one.",),
        risk="Right for rank, row_number and other top-n; a running value over all rows of a key cannot be cut.",
        verify=("The heaviest task of {stages} reads about as much as the usual one.",),
    ),
    "repartition_evenly": Words(
        title="Repartition by number or by another key than {column}",
        what="{place} puts rows by {column}, whose values are uneven ({keys}). If nothing after it needs equal keys together, "
        "use repartition(n) with a multiple of {count}; else add a second column with many values to the key.",
        pros=("All tasks of {stages} get about as much.",),
        cons=("A later join or aggregation by {column} has to shuffle again.",),
        risk="The result stays the same.",
        verify=("The heaviest task of {stages} reads about as much as the usual one.",),
    ),
    "repartition_scope": Words(
        title="PARTITION BY another key, or ROUND ROBIN",
        what="{finding} Let the statement write PARTITIONED BY (SCOPE) or DISTRIBUTED BY HASH of columns with many even "
        "values, or ROUND ROBIN, and CLUSTERED BY what is searched for; say how many buckets.",
        pros=("All vertices get about as much.",),
        cons=("A later reduce by {column} has to partition again.",),
        risk="The result stays the same.",
        verify=("The vertex statistics show no vertex far above the others in data read.",),
    ),
    "even_input": Words(
        title="Cut the input of {table} into files of even size",
        what="{finding} One part of the input is far larger than the others. Write {table} in a format that can be cut "
        "(Parquet or ORC, no gzip of text), with files of 128 to 512 MiB, or repartition right after reading.",
        pros=("All jobs that read the table gain.",),
        cons=("The table has to be written once more.",),
        risk="The data stays the same.",
        verify=("The heaviest task of {stages} reads about as much as the usual one.",),
    ),
}
