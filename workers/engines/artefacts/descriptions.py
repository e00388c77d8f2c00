"""What each shipped kind of artefact holds, in the words of a reader."""

DESCRIPTIONS: dict[str, dict[str, str]] = {
    "spark_event_log": {
        "en": "Spark's event log: every job, stage and task with its times, bytes, spill and failures, the plans, and the settings.",
        "zh": "Spark 事件日志：每个作业、阶段和任务的耗时、数据量、溢写与失败，执行计划以及配置。",
    },
    "pyspark_script": {
        "en": "The job's PySpark script: what is read, joined, grouped and repartitioned, by line.",
        "zh": "作业的 PySpark 脚本：逐行给出读取、连接、分组与重分区操作。",
    },
    "sql_script": {
        "en": "The job's SQL: tables, joins with their keys, groupings and hints, by line.",
        "zh": "作业的 SQL：表、连接及其键、分组与提示，按行给出。",
    },
    "scala_script": {
        "en": "The job's Scala script: what is read, joined, grouped and repartitioned, by line.",
        "zh": "作业的 Scala 脚本：逐行给出读取、连接、分组与重分区操作。",
    },
    "table_metadata": {
        "en": "The tables the job reads: rows, sizes, columns, and the most frequent values of keys.",
        "zh": "作业所读的表：行数、大小、列，以及键的高频取值。",
    },
    "stage_table": {
        "en": "A table of stages: how long each took, its tasks, its longest and its usual task, what it shuffled and spilled.",
        "zh": "阶段表：每个阶段的耗时、任务数、最长与一般任务的耗时、Shuffle 与溢写量。",
    },
    "skew_report": {
        "en": "A report of skew: rows, bytes or share of single keys or partitions, or how uneven the tasks of stages are.",
        "zh": "倾斜报告：单个键或分区的行数、字节数或占比，或各阶段任务的不均匀程度。",
    },
    "shuffle_log": {
        "en": "Shuffle volumes: what each stage or exchange writes and reads.",
        "zh": "Shuffle 数据量：每个阶段或每次交换写出与读入的数据。",
    },
    "configuration": {
        "en": "Settings of Spark: spark-defaults.conf, properties, YAML, JSON, or the command that submits the job.",
        "zh": "Spark 配置：spark-defaults.conf、properties、YAML、JSON 或提交作业的命令行。",
    },
    "plain_log": {
        "en": "A driver's or executor's log: errors, warnings, exceptions, lost executors, failed fetches.",
        "zh": "Driver 或 Executor 日志：错误、警告、异常、丢失的 Executor、拉取失败。",
    },
    "unknown": {
        "en": "A file of no kind that is known; it is kept and not read.",
        "zh": "未知类型的文件：仅保存，不解析。",
    },
}
