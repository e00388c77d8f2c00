"""English: remedies of attempts that fail."""

from workers.kinds.tune.rules.advice.words import Words

FAILURES: dict[str, Words] = {
    "outside_system": Words(
        title="Retry with backoff, and send the outside system fewer, larger calls",
        what="{finding} The error comes from outside of Spark: {error}. It is raised in {where}. Retry the call itself a few "
        "times with a growing, jittered pause, so that a lost connection does not fail the task; open one connection a "
        "partition, batch the calls, and limit how many tasks call at a time (coalesce before the call) to what the "
        "system takes.",
        pros=("A lost connection costs a call and no longer a whole task with all its work.",),
        cons=("Code changes; the system behind it stays the limit.",),
        risk="Calls that write have to be safe to repeat.",
        verify=(
            "The failed task attempts are gone (now {failed}).",
            "The outside system shows fewer connections.",
        ),
    ),
    "out_of_memory": Words(
        title="Attempts fail for memory: smaller tasks, or more memory for each",
        what="{finding} The error says {error}. Use more partitions for {place}, give executors more memory (for Python "
        "workers and native code, spark.executor.memoryOverhead), and never collect large results to the driver.",
        pros=("No work is done twice.",),
        cons=("Larger containers, or more tasks.",),
        risk="The result stays the same.",
        verify=("The failed task attempts are gone (now {failed}).",),
    ),
    "disk_full": Words(
        title="Attempts fail for disk space: larger local disks, less on them",
        what="{finding} The error says {error}. Give spark.local.dir more space or several disks, use more partitions so that "
        "less lies there at a time, and remove old shuffle files.",
        pros=("No work is done twice.",),
        cons=("Larger disks cost money.",),
        risk="The result stays the same.",
        verify=("The failed task attempts are gone (now {failed}).",),
    ),
    "fetch_failed": Words(
        title="Shuffle files get lost: serve them apart from executors, and fetch more patiently",
        what="{finding} {error}: tasks could not fetch the output of others, and whole stages ran again. Look for executors "
        "that were lost just before; use the external shuffle service (or shuffle tracking, decommissioning with "
        "migration), and let fetches retry longer.",
        pros=("A lost executor no longer takes its shuffle files with it.",),
        cons=("Retrying longer hides an overloaded node for longer.",),
        risk="The result stays the same.",
        verify=("No FetchFailed in the next run (failed attempts now: {failed}).",),
    ),
    "missing_data": Words(
        title="Files fail to be found: read a fixed snapshot",
        what="{finding} The error says {error}. Something removes or rewrites files while the job reads them: read a snapshot "
        "or a versioned table, or let the writer finish first.",
        pros=("The job no longer depends on luck.",),
        cons=("The jobs have to be put in an order.",),
        risk="The result may have been partial before.",
        verify=("The failed task attempts are gone (now {failed}).",),
    ),
    "executors_lost": Words(
        title="Executors are lost and their tasks fail: keep them, or lose less with them",
        what="{finding} {error}. Take executors from machines that are not preempted, or let Spark move data off before they "
        "go (decommissioning), and look in the cluster's log at why they went; memory is the usual reason.",
        pros=("No work is done twice.",),
        cons=("Machines that stay cost more.",),
        risk="The result stays the same.",
        verify=("The failed task attempts are gone (now {failed}).",),
    ),
    "own_error": Words(
        title="Fix the error in {where} that fails the job",
        what="{finding} The error says {error}. It comes back with each retry, so more attempts only cost time: fix {where}, "
        "or sort out the rows it cannot take before {place}.",
        pros=("The job ends, and ends early.",),
        cons=("Rows that are sorted out have to be looked at.",),
        risk="What is done with bad rows changes the result: decide it on purpose.",
        verify=("No failed jobs, no failed attempts (now {failed}).",),
    ),
    "passing_error": Words(
        title="Find out why attempts fail in {where} and pass on retry",
        what="{finding} The error says {error} in {where}. The same work went well in the next attempt, so it depends on time, "
        "machine or an outside service: catch and retry it there with a pause, rather than by failing the whole task.",
        pros=("A failure costs a call and no longer a whole task.",),
        cons=("Code changes.",),
        risk="What is repeated has to be safe to repeat.",
        verify=("The failed task attempts are gone (now {failed}).",),
    ),
}
