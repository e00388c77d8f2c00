"""What each artefact of a SCOPE job holds, in words: English and Chinese. The `seed` profile of the recommender reads the Chinese ones."""

DESCRIPTIONS: dict[str, dict[str, str]] = {
    "scope_script": {
        "en": "The user's SCOPE or U-SQL script: inputs, joins, groupings, processors, how rows are partitioned, with line numbers",
        "zh": "用户提交的 SCOPE/U-SQL 原始脚本：输入、连接、聚合、自定义处理器和分区子句，带行号",
    },
    "scope_job_statistics": {
        "en": "Statistics of the finished job: how long each stage took, its skewed tasks with reasons, metrics that exceeded their limits",
        "zh": "作业完成后的统计信息：每个 stage 的执行时长、倾斜任务及其原因、超出阈值的性能指标",
    },
    "scope_runtime_statistics": {
        "en": "Run-time statistics of every vertex: memory, time, bytes read and written, garbage collection",
        "zh": "作业运行时每个顶点的统计：内存、时间、读写数据量、垃圾回收",
    },
    "scope_job_info": {
        "en": "The job's state, when it was submitted and how long it waited, compiled and ran, its resources",
        "zh": "作业基本信息：状态、提交时间、排队、编译与运行时长、资源分配",
    },
    "scope_algebra": {
        "en": "The query plan: operators of every stage, their keys and how they partition the data",
        "zh": "查询执行计划：每个阶段的算子、键以及数据分区方式",
    },
    "scope_vertex_definition": {
        "en": "The definition of every vertex: its operators, columns, keys and memory limits",
        "zh": "各个计算顶点的定义：算子、列、键和内存限制",
    },
    "scope_error": {
        "en": "Why the job failed: code, component, message, resolution, internal diagnostics; empty when it did not",
        "zh": "作业失败的原因：错误代码、组件、消息、解决办法和内部诊断；成功时为空",
    },
    "scope_warnings": {
        "en": "Warnings of compiler and engine, with the script's lines",
        "zh": "编译和运行阶段的警告，带脚本行号",
    },
    "scope_diagnostics": {
        "en": "Diagnostics as JSON: what the platform noticed while the job ran",
        "zh": "JSON 格式的诊断信息：平台在作业执行期间发现的问题",
    },
    "scope_data_flow": {
        "en": "The data-flow graph: which stage feeds which and with how many bytes (the volume of every shuffle)",
        "zh": "数据流图：阶段之间的数据传输关系与每次 shuffle 的数据量",
    },
    "scope_compile_output": {
        "en": "Output and options of the compilers: errors, warnings, how long compiling took",
        "zh": "编译输出与编译选项：错误、警告和编译耗时",
    },
    "scope_compiler_timers": {
        "en": "How long each step of the compiler took",
        "zh": "编译阶段各个步骤的耗时",
    },
    "scope_generated_code": {
        "en": "The C# that the compiler generated from the script; a compiled library is not read",
        "zh": "由脚本生成的 C# 代码；已编译的动态库不会读取",
    },
    "scope_stream_info": {
        "en": "The input and output streams: size, rows, partitions, partition keys",
        "zh": "输入输出流的元数据：大小、行数、分区数和分区键",
    },
    "scope_profile": {
        "en": "A profile of processes: processor, memory and network numbers by name",
        "zh": "作业性能画像：节点上的处理器、内存和网络占用",
    },
    "scope_internal_info": {
        "en": "Internal information of the compiler: the optimizer's tree with estimated rows, counters",
        "zh": "编译器内部信息：优化器计划树、估算行数和计数器",
    },
    "scope_command_line": {
        "en": "The command line the job was submitted with: its options and resources",
        "zh": "作业提交时的命令行参数：选项与资源配置",
    },
}
"""By kind, then by language."""
