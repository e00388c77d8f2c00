"""English: remedies of memory, parallelism, stragglers and code."""

from workers.kinds.tune.rules.advice.words import Words

OTHER: dict[str, Words] = {
    "smaller_tasks": Words(
        title="More partitions ({now} → {count}), so that a task fits into memory and does not spill",
        what="{finding} Each of the {now} tasks of {place} has {each}, more than its part of the memory. With {count} "
        "partitions each has a fraction of it and works in memory.",
        pros=(
            "No more memory is needed.",
            "Smaller tasks even out better.",
        ),
        cons=("More and smaller output files, where the stage writes them.",),
        risk="The result stays the same.",
        verify=(
            "Spill (memory) and spill (disk) of the stage are zero or nearly so.",
            "The tasks' time in the stage drops.",
        ),
    ),
    "smaller_tasks_gc": Words(
        title="More partitions ({now} → {count}), so that fewer objects live at a time",
        what="{finding} The heaviest stage runs {now} tasks of {each}; with {count} each holds a fraction of the objects.",
        pros=("No more memory is needed.",),
        cons=("More tasks to start.",),
        risk="The result stays the same.",
        verify=("GC time of the stage drops below a tenth of the task time.",),
    ),
    "memory_fraction": Words(
        title="Give execution its memory back: spark.memory.fraction {now} → {wanted}",
        what="{finding} spark.memory.fraction is {now} in the place of {wanted}, so that most of the heap lies idle while "
        "{place} spills. Set it back.",
        pros=("More memory for sorts and aggregations without a larger container.",),
        cons=("Less of the heap for the user's own objects; raise the heap if they need it.",),
        risk="If it was lowered for code with many objects of its own, that code may run out of memory.",
        verify=(
            "Spill (disk) of the stage is zero or nearly so.",
            "GC time does not rise.",
        ),
    ),
    "more_memory": Words(
        title="More memory for a task ({sizes})",
        what="{finding} Give the executors a larger heap, or fewer cores each, so that a task of {place} has room for its rows.",
        pros=("No change of code.",),
        cons=("Fewer executors fit on a machine.",),
        risk="The cluster has to have the memory.",
        verify=("Spill (disk) of the stage is zero or nearly so.",),
    ),
    "more_memory_gc": Words(
        title="A larger heap ({sizes}), or fewer cores an executor",
        what="{finding} With more heap for each running task the collector runs less often.",
        pros=("No change of code.",),
        cons=(
            "Fewer executors fit on a machine.",
            "A larger heap has longer pauses if objects keep living.",
        ),
        risk="The cluster has to have the memory.",
        verify=("GC time of the stage drops below a tenth of the task time.",),
    ),
    "less_garbage": Words(
        title="Make fewer objects: DataFrames for RDDs, Kryo, less in the cache",
        what="{finding} Use DataFrame operations in the place of RDDs of objects, unpersist what is cached and not used again, "
        "and take G1 as the collector (-XX:+UseG1GC, the default from Java 9 on).",
        pros=("Rows lie in Spark's binary form, which the collector does not see.",),
        cons=("Code changes.",),
        risk="The rewritten steps have to compute the same.",
        verify=("GC time of the stage drops below a tenth of the task time.",),
    ),
    "less_garbage_functions": Words(
        title="Make fewer objects in {functions}",
        what="{finding} {functions} runs on every row of {stages}: use Spark's built-in functions or a vectorised (pandas) "
        "function in its place, and create buffers and clients once a partition.",
        pros=("Rows lie in Spark's binary form, which the collector does not see.",),
        cons=("Code changes.",),
        risk="The rewritten function has to compute the same.",
        verify=("GC time of the stage drops below a tenth of the task time.",),
    ),
    "fewer_partitions": Words(
        title="Fewer partitions: {now} → {count} (spark.sql.shuffle.partitions, or coalesce)",
        what="{finding} {place} has {read} in {now} partitions, so that starting tasks takes longer than their work. {count} "
        "tasks are enough for the slots and the data.",
        pros=(
            "The time to start tasks goes away.",
            "Fewer and larger output files.",
        ),
        cons=("On more data the number has to grow again.",),
        risk="The result stays the same.",
        verify=(
            "About {count} tasks run in the place of {now}.",
            "Scheduler delay and deserialisation no longer dominate the task time.",
        ),
    ),
    "larger_files": Words(
        title="Larger input files: {now} tasks for {read}",
        what="{finding} Many small files make many small tasks. Compact {table} into files of 128 to 512 MiB, or "
        "coalesce({count}) right after reading.",
        pros=("Every job that reads the table gains, and listing files gets faster.",),
        cons=("The table has to be written once more, and kept so.",),
        risk="The data stays the same.",
        verify=("About {count} tasks run in the place of {now}.",),
    ),
    "adaptive_coalescing": Words(
        title="Let adaptive execution (AQE) coalesce small partitions",
        what="{finding} With AQE, Spark puts the {now} small partitions of {place} together after the shuffle, to about 64 MiB "
        "each, whatever spark.sql.shuffle.partitions says.",
        pros=("Configuration only, and it follows the data when that grows.",),
        cons=("The map side still writes {now} small blocks a task.",),
        risk="The result stays the same; plans may change elsewhere in the job.",
        verify=(
            "The plan shows AQEShuffleRead coalesced.",
            "A handful of tasks run in the place of {now}.",
        ),
    ),
    "more_partitions": Words(
        title="More partitions: {now} → {count}, for {slots} slots",
        what="{finding} {place} has {now} tasks where {slots} could run. Cut the work into {count}: remove a coalesce that is "
        "too small, or repartition before the heavy step.",
        pros=("All slots work.",),
        cons=("One shuffle more where repartition is used.",),
        risk="The result stays the same.",
        verify=("About {count} tasks run in the place of {now}.",),
    ),
    "more_partitions_files": Words(
        title="Cut the input into more partitions: {now} → {count}",
        what="{finding} The files of {table} are read by {now} tasks where {slots} could run. Let Spark cut them smaller; "
        "files that cannot be cut (gzip) have to be written in another format, or repartitioned right after reading.",
        pros=("All slots work from the first stage on.",),
        cons=("More tasks to start.",),
        risk="The result stays the same.",
        verify=("About {count} tasks run in the place of {now}.",),
    ),
    "release_executors": Words(
        title="Release executors that have no work ({idle})",
        what="{finding} Let Spark give executors back while they have nothing to do, or ask for fewer.",
        pros=("The same time for less money.",),
        cons=("Asking for executors again takes seconds.",),
        risk="Shuffle files have to outlive their executors (shuffle tracking, or the external shuffle service).",
        verify=("The executors' busy time rises; the run takes as long as before.",),
    ),
    "waiting_call": Words(
        title="Take the wait out of {function}: line {line} calls something slow or external",
        what="{finding} {function} runs in {stages}, and `{call}` in line {line} waits. Give it a timeout, call once for many "
        "rows, or put what it asks for into a table that is joined.",
        pros=("The cause goes, and not only its effect.",),
        cons=("Code changes.",),
        risk="The rewritten function has to return the same rows.",
        verify=("The longest task of {stages} takes about as long as the usual one.",),
    ),
    "waiting_call_by_partition": Words(
        title="Take the slow wait for one partition out of {function}: line {line}",
        what="{finding} {function} looks at the number of its partition and `{call}` in line {line} waits: the straggler is "
        "the code's own doing, so that every attempt is as slow. Remove the wait, or make it the same for all partitions "
        "with a timeout.",
        pros=("The cause goes, and not only its effect.",),
        cons=("Code changes.",),
        risk="The rewritten function has to return the same rows.",
        verify=("The longest task of {stages} takes about as long as the usual one.",),
    ),
    "slow_function": Words(
        title="Measure {function} (line {line}): one task of it is slow, for no more data",
        what="{finding} {function} runs in {stages}. Log what it calls and how long that takes, for the slow partition; an "
        "external service, a lock or one very expensive row are the usual reasons.",
        pros=("The cause goes, and not only its effect.",),
        cons=("It takes one more run to learn more.",),
        risk="None for the data.",
        verify=("The longest task of {stages} takes about as long as the usual one.",),
    ),
    "speculation": Words(
        title="Speculation: run a straggler a second time elsewhere",
        what="{finding} Spark starts a second attempt of a task that takes much longer than the others and takes the one that "
        "ends first. It helps against a slow machine or disk.",
        pros=("Configuration only.",),
        cons=(
            "Work is done twice.",
            "Spark does not speculate in local mode.",
        ),
        risk="A task that writes to an outside system does so twice: only for work that is safe to repeat.",
        verify=(
            "Speculative tasks appear, and the longest task of {stages} gets shorter.",
            "If the second attempt is as slow, the cause is in the code or the data.",
        ),
    ),
    "speculation_bound": Words(
        title="Speculation, as a safety net only: the straggler comes from the code",
        what="{finding} Speculation starts a second attempt elsewhere, but this function looks at the number of its partition, "
        "so that the second attempt is as slow as the first. It helps against a slow machine only.",
        pros=("Configuration only.",),
        cons=(
            "Work is done twice, here most likely in vain.",
            "Spark does not speculate in local mode.",
        ),
        risk="A task that writes to an outside system does so twice: only for work that is safe to repeat.",
        verify=("If the second attempt is as slow, the cause is in the code.",),
    ),
    "cross_join": Words(
        title="Give the cross join a condition",
        what="{finding} {place} pairs every row with every row. Join by equal columns; for a range, join by a coarse equal key "
        "(a day, a bucket) first and filter within it.",
        pros=("The work grows with the rows and no longer with their product.",),
        cons=("The condition has to be known.",),
        risk="Without the right condition rows are lost: compare counts on a sample.",
        verify=("The plan shows no CartesianProduct and no BroadcastNestedLoopJoin.",),
    ),
    "inline_code": Words(
        title="Built-in functions in the place of inline code",
        what="{finding} The optimiser cannot see into {place}: no filter or projection passes it. Use built-in expressions, or "
        "move the code behind the filters and aggregations.",
        pros=("Filters reach the input; no rows are converted for foreign code.",),
        cons=("Not everything can be said with built-in functions.",),
        risk="Nulls and rounding may differ: compare on a sample.",
        verify=("The stage with the code reads fewer rows, or is gone.",),
    ),
    "many_processors": Words(
        title="Merge processors and reducers that follow one another",
        what="{finding} Put steps that work row by row into one processor, and reducers by the same keys into one (READONLY "
        "and PRODUCE tell the optimiser which columns pass through).",
        pros=("Rows are serialised fewer times.",),
        cons=("Larger pieces of code.",),
        risk="The merged code has to compute the same.",
        verify=("Fewer vertices in the algebra.",),
    ),
    "exceeded_limit": Words(
        title="Bring the number that the engine calls exceeded down",
        what="{finding} Cut the statement into several with intermediate results, or give the vertices less data each (more partitions).",
        pros=("The engine's own limit is kept.",),
        cons=("More statements.",),
        risk="The result stays the same.",
        verify=("The job's statistics call nothing exceeded any more.",),
    ),
    "job_error": Words(
        title="Fix the error that failed the job",
        what="{finding} Follow the resolution that the error names; a vertex that timed out has too much data or code that waits.",
        pros=("The job ends.",),
        cons=(),
        risk="What is done with bad rows changes the result: decide it on purpose.",
        verify=("The job ends without an error.",),
    ),
}
