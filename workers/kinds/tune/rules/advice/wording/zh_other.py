"""Chinese: remedies of memory, parallelism, stragglers and code."""

from workers.kinds.tune.rules.advice.words import Words

OTHER: dict[str, Words] = {
    "smaller_tasks": Words(
        title="增加分区（{now} → {count}），让每个 task 放得进内存、不再 spill",
        what="{finding} {place} 的 {now} 个 task 每个要处理 {each}，超过了它分到的内存。分成 {count} 个分区后，"
        "每个 task 只处理其中一小部分，可以在内存里完成。",
        pros=(
            "不需要更多内存。",
            "task 更小，也更容易均衡。",
        ),
        cons=("如果该 Stage 写文件，输出文件会更多更小。",),
        risk="结果不变。",
        verify=(
            "该 Stage 的 spill (memory) 和 spill (disk) 为零或接近零。",
            "该 Stage 的 task 总时间下降。",
        ),
    ),
    "smaller_tasks_gc": Words(
        title="增加分区（{now} → {count}），减少同时存活的对象",
        what="{finding} 最重的 Stage 有 {now} 个 task，每个处理 {each}；分成 {count} 个后，每个 task 持有的对象只是其中一小部分。",
        pros=("不需要更多内存。",),
        cons=("要启动的 task 更多。",),
        risk="结果不变。",
        verify=("该 Stage 的 GC 时间低于 task 时间的十分之一。",),
    ),
    "memory_fraction": Words(
        title="恢复执行内存：spark.memory.fraction {now} → {wanted}",
        what="{finding} spark.memory.fraction 是 {now}，而默认是 {wanted}：大部分堆内存闲置，而 {place} 却在 spill。把它改回来。",
        pros=("不加大容器，排序和聚合就有更多内存。",),
        cons=("留给用户自己对象的堆变少；如果需要，请加大堆。",),
        risk="如果当初是因为代码里自己的对象多才调低的，这些代码可能会内存不足。",
        verify=(
            "该 Stage 的 spill (disk) 为零或接近零。",
            "GC 时间没有上升。",
        ),
    ),
    "more_memory": Words(
        title="给 task 更多内存（{sizes}）",
        what="{finding} 给 executor 更大的堆，或减少每个 executor 的核数，让 {place} 的每个 task 放得下自己的数据。",
        pros=("不需要改代码。",),
        cons=("一台机器上能放的 executor 变少。",),
        risk="集群必须有这么多内存。",
        verify=("该 Stage 的 spill (disk) 为零或接近零。",),
    ),
    "more_memory_gc": Words(
        title="加大堆（{sizes}），或减少每个 executor 的核数",
        what="{finding} 每个运行中的 task 分到更多堆，垃圾回收就不那么频繁。",
        pros=("不需要改代码。",),
        cons=(
            "一台机器上能放的 executor 变少。",
            "如果对象一直存活，堆越大停顿越长。",
        ),
        risk="集群必须有这么多内存。",
        verify=("该 Stage 的 GC 时间低于 task 时间的十分之一。",),
    ),
    "less_garbage": Words(
        title="少创建对象：用 DataFrame 代替 RDD，用 Kryo，减少缓存",
        what="{finding} 用 DataFrame 操作代替对象 RDD，不再使用的缓存及时 unpersist，垃圾回收器用 G1（-XX:+UseG1GC，Java 9 起为默认）。",
        pros=("行以 Spark 的二进制格式存放，垃圾回收器看不到。",),
        cons=("需要改代码。",),
        risk="改写后的步骤必须得到同样的结果。",
        verify=("该 Stage 的 GC 时间低于 task 时间的十分之一。",),
    ),
    "less_garbage_functions": Words(
        title="在 {functions} 里少创建对象",
        what="{finding} {functions} 在{stages}对每一行执行：改用 Spark 内置函数或向量化（pandas）函数，缓冲区和客户端每个分区只创建一次。",
        pros=("行以 Spark 的二进制格式存放，垃圾回收器看不到。",),
        cons=("需要改代码。",),
        risk="改写后的函数必须得到同样的结果。",
        verify=("该 Stage 的 GC 时间低于 task 时间的十分之一。",),
    ),
    "fewer_partitions": Words(
        title="减少分区：{now} → {count}（spark.sql.shuffle.partitions，或 coalesce）",
        what="{finding} {place} 把 {read} 分成了 {now} 个分区，启动 task 比干活还久。按现有并发数和数据量，{count} 个就够了。",
        pros=(
            "启动 task 的时间省掉了。",
            "输出文件更少更大。",
        ),
        cons=("数据变多后要再调大。",),
        risk="结果不变。",
        verify=(
            "task 数从 {now} 降到约 {count}。",
            "调度延迟和反序列化不再占 task 时间的大头。",
        ),
    ),
    "larger_files": Words(
        title="输入文件太小：{now} 个 task 读 {read}",
        what="{finding} 大量小文件产生大量小 task。把 {table} 合并成 128 到 512 MiB 的文件，或者读取后立即 coalesce({count})。",
        pros=("所有读取该表的作业都受益，列文件也更快。",),
        cons=("表要重写一次，并且要持续维护。",),
        risk="数据不变。",
        verify=("task 数从 {now} 降到约 {count}。",),
    ),
    "adaptive_coalescing": Words(
        title="让自适应执行（AQE）合并（coalesce）小分区",
        what="{finding} 打开 AQE 后，不管 spark.sql.shuffle.partitions 是多少，Spark 都会在 shuffle 之后把 "
        "{place} 的 {now} 个小分区合并到每个约 64 MiB。",
        pros=("只改配置；数据变多时会自动适应。",),
        cons=("map 端每个 task 仍要写 {now} 个小块。",),
        risk="结果不变；作业其他地方的执行计划可能改变。",
        verify=(
            "执行计划出现 AQEShuffleRead coalesced。",
            "task 数从 {now} 降到几个。",
        ),
    ),
    "more_partitions": Words(
        title="增加分区：{now} → {count}，可并发 {slots} 个",
        what="{finding} {place} 只有 {now} 个 task，而同时可以跑 {slots} 个。把工作分成 {count} 份：去掉数字过小"
        "的 coalesce，或在最重的步骤之前 repartition。",
        pros=("所有并发都用上。",),
        cons=("用 repartition 的话多一次 shuffle。",),
        risk="结果不变。",
        verify=("task 数从 {now} 升到约 {count}。",),
    ),
    "more_partitions_files": Words(
        title="把输入切成更多分区：{now} → {count}",
        what="{finding} {table} 的文件只由 {now} 个 task 读取，而同时可以跑 {slots} 个。让 Spark 切得更小；不可"
        "切分的文件（gzip）要换一种格式写出，或读取后立即 repartition。",
        pros=("从第一个 Stage 起所有并发都用上。",),
        cons=("要启动的 task 变多。",),
        risk="结果不变。",
        verify=("task 数从 {now} 升到约 {count}。",),
    ),
    "release_executors": Words(
        title="释放没有工作的 executor（{idle} 个）",
        what="{finding} 让 Spark 归还空闲的 executor，或者一开始就少申请。",
        pros=("同样的时间，花更少的钱。",),
        cons=("再次申请 executor 需要几秒。",),
        risk="shuffle 文件必须比 executor 活得久（shuffle 跟踪，或外部 shuffle 服务）。",
        verify=("executor 的忙碌时间上升，总时长不变。",),
    ),
    "waiting_call": Words(
        title="去掉 {function} 里的等待：第 {line} 行调用了慢的或外部的东西",
        what="{finding} {function} 在{stages}里运行，第 {line} 行的 `{call}` 在等待。给它加超时，一次调用处理多"
        "行，或者把要查的内容做成表来 join。",
        pros=("消除原因，而不只是后果。",),
        cons=("需要改代码。",),
        risk="改写后的函数必须返回同样的行。",
        verify=("最长的 task 用时与普通 task 接近（{stages}）。",),
    ),
    "waiting_call_by_partition": Words(
        title="去掉 {function} 对某个分区的慢等待：第 {line} 行",
        what="{finding} {function} 会判断自己的分区号，而第 {line} 行的 `{call}` 在等待：拖慢的 task 是代码自己"
        "造成的，每次尝试都一样慢。去掉这个等待，或者对所有分区统一处理并加超时。",
        pros=("消除原因，而不只是后果。",),
        cons=("需要改代码。",),
        risk="改写后的函数必须返回同样的行。",
        verify=("最长的 task 用时与普通 task 接近（{stages}）。",),
    ),
    "slow_function": Words(
        title="测量 {function}（第 {line} 行）：有一个 task 数据不多却很慢",
        what="{finding} {function} 在{stages}里运行。对慢的那个分区，记录它调用了什么、各用了多久；常见原因是外"
        "部服务、锁，或某一行特别耗时。",
        pros=("消除原因，而不只是后果。",),
        cons=("需要再跑一次才能知道更多。",),
        risk="对数据没有影响。",
        verify=("最长的 task 用时与普通 task 接近（{stages}）。",),
    ),
    "speculation": Words(
        title="推测执行：让拖慢的 task 在别处再跑一份",
        what="{finding} Spark 会为明显慢于其他的 task 再启动一份，取先完成的那个。对慢机器或慢磁盘有效。",
        pros=("只改配置。",),
        cons=(
            "工作会做两遍。",
            "本地模式下 Spark 不做推测执行。",
        ),
        risk="写外部系统的 task 会写两次：只适用于可以安全重复的工作。",
        verify=(
            "出现推测执行的 task，最长的 task 变短（{stages}）。",
            "如果第二份同样慢，原因就在代码或数据里。",
        ),
    ),
    "speculation_bound": Words(
        title="推测执行只能作为兜底：拖慢来自代码本身",
        what="{finding} 推测执行会在别处再启动一份，但这个函数会判断自己的分区号，第二份会和第一份一样慢。它只对慢机器有效。",
        pros=("只改配置。",),
        cons=(
            "工作会做两遍，这里多半是白做。",
            "本地模式下 Spark 不做推测执行。",
        ),
        risk="写外部系统的 task 会写两次：只适用于可以安全重复的工作。",
        verify=("如果第二份同样慢，原因就在代码里。",),
    ),
    "cross_join": Words(
        title="给笛卡尔积加上连接条件",
        what="{finding} {place} 让每一行与每一行配对。按相等的列 join；范围条件则先按较粗的相等键（如日期、分桶）join，再过滤。",
        pros=("工作量随行数增长，而不是随行数的乘积增长。",),
        cons=("需要知道连接条件。",),
        risk="条件不对会丢失行：先在样本上对比行数。",
        verify=("执行计划中没有 CartesianProduct 和 BroadcastNestedLoopJoin。",),
    ),
    "inline_code": Words(
        title="用内置函数代替内联代码",
        what="{finding} 优化器看不进 {place}：过滤和投影都无法穿过它。改用内置表达式，或者把代码移到过滤和聚合之后。",
        pros=("过滤能下推到输入；不再为外部代码转换每一行。",),
        cons=("并非所有逻辑都能用内置函数表达。",),
        risk="null 和舍入可能不同：先在样本上对比。",
        verify=("带有该代码的阶段读取的行变少，或者消失。",),
    ),
    "many_processors": Words(
        title="合并相邻的 processor 和 reducer",
        what="{finding} 把逐行处理的步骤合成一个 processor，把键相同的 reducer 合成一个（READONLY 和 PRODUCE 告诉优化器哪些列原样通过）。",
        pros=("行的序列化次数减少。",),
        cons=("单段代码变大。",),
        risk="合并后的代码必须得到同样的结果。",
        verify=("Algebra 中的 vertex 变少。",),
    ),
    "exceeded_limit": Words(
        title="把引擎标为“超限”的数字降下来",
        what="{finding} 把语句拆成几条并保存中间结果，或者让每个 vertex 处理更少的数据（更多分区）。",
        pros=("不再触碰引擎自己的上限。",),
        cons=("语句变多。",),
        risk="结果不变。",
        verify=("作业统计中不再有“超限”。",),
    ),
    "job_error": Words(
        title="修复让作业失败的错误",
        what="{finding} 按错误信息里给出的解决办法处理；超时的 vertex 要么数据太多，要么代码在等待。",
        pros=("作业能够完成。",),
        cons=(),
        risk="如何处理坏数据会改变结果：请有意识地决定。",
        verify=("作业不再报错。",),
    ),
}
