"""Chinese: remedies of data skew."""

from workers.kinds.tune.rules.advice.words import Words

SKEW: dict[str, Words] = {
    "filter_sentinel": Words(
        title="把 {table} 的哨兵值 {column} = {values} 从 join 中单独处理",
        what="{keys}：这是“未知”的占位值，它的所有行都落到{stages}的同一个 task。把这些行单独 join（另一侧只需广"
        "播匹配的少数几行），再与其余结果 union；{place} 剩下的键就能均匀分布。如果没有人需要 {column} 未知"
        "的行，直接在 join 之前过滤掉即可。",
        pros=(
            "最重的 task 彻底消失，任何 Spark 版本都适用。",
            "结果逐行不变。",
        ),
        cons=(
            "{table} 要扫描两遍。",
            "出现新的占位值时需要补进列表。",
        ),
        risk="单独 join 不改变结果；直接过滤会改变结果，先确认谁在用 {column} = {values} 的行。",
        verify=(
            "该 join 最重的 task 读取的数据量与普通 task 接近。",
            "写出的行数与之前相同。",
        ),
    ),
    "split_hot_keys": Words(
        title="拆出 {table}.{column} 的热点键（{values}），用广播单独 join",
        what="{keys}。每个热点键都压在{stages}的一个 task 上。把热点键的行单独 join（另一侧只需广播匹配的少数几"
        "行），再与其余结果 union；{place} 剩下的键就能均匀分布。",
        pros=(
            "热点键分散到读取 {table} 的所有 task。",
            "结果逐行不变。",
        ),
        cons=(
            "热点键列表会过时，数据变化后要重新检查。",
            "{table} 要扫描两遍。",
        ),
        risk="前提是另一侧每个热点键只有少量行；如果有上百万行，就无法广播。",
        verify=(
            "该 join 最重的 task 读取的数据量与普通 task 接近。",
            "写出的行数与之前相同。",
        ),
    ),
    "keys_apart_scope": Words(
        title="把 {table} 过重的键 {column} = {values} 放到单独的语句里 join",
        what="{keys}；同一个键的所有行都进入{stages}的同一个 vertex。用一条语句 join 这个键的行（WHERE {column} == {values}，"
        "小的一侧加 BROADCASTRIGHT），另一条语句 join 其余的行（WHERE {column} != {values}），再 UNION ALL；{place} 剩下的键"
        "就能均匀分布。如果没有人需要这个键的行，直接在 join 之前过滤掉即可。",
        pros=("作业何时结束不再取决于热点键。", "结果逐行不变。"),
        cons=("{table} 要被两条语句读取。", "热点键列表会过时：数据变化后要重新确认。"),
        risk="单独 join 不改变结果；直接过滤会改变结果，先确认谁在用 {column} = {values} 的行。",
        verify=("该阶段的 vertex 统计中，没有哪个 vertex 的读取量明显高于其他。", "写出的行数与之前相同。"),
    ),
    "broadcast_for_skew": Words(
        title="广播 {other}，热点键不再需要 shuffle",
        what="{other} 在内存中只有 {size}，低于 {limit} 的上限。每个 executor 都持有 {other} 后，{table} 在读取"
        "处就地 join，热点键不再集中到一个 task：{keys}。",
        pros=("大表完全不做 shuffle，也就不会有过重的分区。",),
        cons=("每个 executor 和 driver 都要在内存里放一份，哈希表约为其两倍大小。",),
        risk="如果 {other} 增长到 executor 放不下，作业会从“慢”变成“失败”。",
        verify=(
            "执行计划中 SortMergeJoin 变为 BroadcastHashJoin。",
            "带有最重 task 的 Stage 消失。",
        ),
    ),
    "skew_join": Words(
        title="让自适应执行（AQE）切分倾斜分区：skewJoin",
        what="当 sort-merge join 的某个分区达到中位数的数倍并超过阈值时，Spark 会自动把它切开。{stages}最重的分"
        "区有 {heaviest}，下面的配置让 Spark 把它识别为倾斜。原因是：{keys}。",
        pros=("只改配置；以后出现别的热点键也能自动适应。",),
        cons=("只对 join 有效，而且只能按 map 输出切分：同一个 map task 的行不会再分开。",),
        risk="结果不变；去掉配置即可回退。",
        verify=(
            "执行计划出现 SortMergeJoin(skew=true)，AQEShuffleRead 标出倾斜分区。",
            "该 join 的 task 变多，且没有明显高于中位数的。",
        ),
    ),
    "salt_join": Words(
        title="给 {column} 加盐：每个键分散到 {salts} 个 task",
        what="{keys}。给倾斜一侧的每一行加一个 0 到 {last} 的盐值，把另一侧的行复制 {salts} 份、每份一个盐"
        "值，按“键 + 盐”join；这样 {place} 会把每个键分散到 {salts} 个 task。",
        pros=("不需要热点键列表，任何 Spark 版本都适用。",),
        cons=(
            "另一侧的 shuffle 数据量变为 {salts} 倍。",
            "多一列，代码需要注释说明。",
        ),
        risk="盐值要用固定的随机种子，这样重跑的 task 会得到同样的盐值。",
        verify=(
            "该 join 最重的 task 读取的数据量与普通 task 接近。",
            "写出的行数与之前相同。",
        ),
    ),
    "salt_key": Words(
        title="给过重的键加盐：分散到 {salts} 个 task",
        what="{finding} 在 {place} 重新分布数据的地方，给 {column} 加上 0 到 {last} 的盐值：聚合分两阶段，先"
        "按“键 + 盐”，再按键；join 则把另一侧复制 {salts} 份。如果提供表的键统计，就能指出具体的热点键。",
        pros=("不需要热点键列表。",),
        cons=("多一个较小的阶段，或者另一侧变大。",),
        risk="只有能由部分结果合并的计算（求和、计数、列表）才能分两阶段。",
        verify=("最重的 task 数据量与普通 task 接近（{stages}）。",),
    ),
    "salt_scope": Words(
        title="单独处理热点键，或者加盐（SCOPE / U-SQL）",
        what="{finding} 把热点键放到单独的语句里聚合或 join（WHERE {column} == … 与 != …），再 UNION ALL；或者加"
        "一个盐列（另一列的哈希对 {salts} 取模），先按 {column} 和盐 REDUCE，再按 {column}。join 可加 "
        "OPTION(SKEWFACTOR({column}) = 1) 让优化器预知倾斜；满足结合律的 reducer 可标注 "
        "[SqlUserDefinedReducer(IsRecursive = true)]。",
        pros=("作业何时结束不再取决于热点键。",),
        cons=("多一条语句或多一个阶段。",),
        risk="递归 reducer 必须满足结合律，标注前先确认。",
        verify=("该阶段的 vertex 统计中，没有哪个 vertex 的读取量明显高于其他。",),
    ),
    "two_stage_aggregation": Words(
        title="两阶段聚合：先按 {column} 加盐，再按 {column}",
        what="{keys}；这里的聚合无法在 shuffle 之前合并，热点键的所有行都进入{stages}的同一个 task。先按 "
        "{column} 和 {salts} 个盐值聚合，再按 {column} 把部分结果合并，位置是 {place}。精确分位数可以改成 "
        "percentile_approx，它能在 shuffle 之前合并。",
        pros=(
            "热点键的行分散到 {salts} 个 task。",
            "任何 Spark 版本都适用。",
        ),
        cons=(
            "对部分结果多一次 shuffle。",
            "收集出来的列表最终仍在一个 task 的一行里：确认是否真的需要全部元素。",
        ),
        risk="列表内元素的顺序可能改变；平均值和去重计数不能由部分结果相加。",
        verify=(
            "两阶段中的第一阶段，最重的 task 读取量与普通 task 接近。",
            "抽几个热点键，结果与之前一致。",
        ),
    ),
    "count_instead_of_list": Words(
        title="用计数代替收集：{list} 只用到了它的大小",
        what="{place} 为每个 {column} 收集一个列表，而后面只用了它的大小。count 得到同样的数字，并且在 shuffle "
        "之前就能合并，热点键在每个 task 只发出一行，而不是全部。这里 {keys}。",
        pros=(
            "倾斜连同大部分 shuffle 一起消失。",
            "更省内存：不再构造列表。",
        ),
        cons=("如果以后需要列表内容，要改回收集并分两阶段。",),
        risk="数字相同：列表不收集 null，对列的 count 也不计 null。",
        verify=(
            "shuffle 的数据量只剩一小部分，而且均匀。",
            "执行计划中 Exchange 之前出现 partial_count。",
        ),
    ),
    "sentinel_group": Words(
        title="聚合之前过滤哨兵值 {column} = {values}",
        what="{keys}：这是“未知”的占位值，按它汇总的结果通常没有意义；在 {place} 之前过滤掉，或者不经 shuffle 单独汇总。",
        pros=("{stages}最重的 task 消失。",),
        cons=("结果里不再有 {values} 这一行，除非单独计算。",),
        risk="会改变结果：先确认谁在用 {values} 这一行。",
        verify=("最重的 task 读取量与普通 task 接近（{stages}）。",),
    ),
    "hot_keys_group": Words(
        title="把 {column} 的热点键 {values} 拆出来单独计算",
        what="{keys}。把热点键放到单独的分支计算，在那里可以按另一列分散，再用 union 合并，位置是 {place}。",
        pros=("只对热点键做特殊处理。",),
        cons=(
            "热点键列表会过时。",
            "{table} 要扫描两遍。",
        ),
        risk="两个分支的计算逻辑必须一致。",
        verify=("最重的 task 读取量与普通 task 接近（{stages}）。",),
    ),
    "window_in_two_steps": Words(
        title="分两步排名：先在 {column} 加盐内，再在 {column} 内",
        what="{keys}；窗口函数要求同一个键的所有行在同一个 task，这里是 {place}。如果是 top-n，先在“{column} + "
        "{salts} 个盐值”内保留前 n 行，再对剩下的少量行排名；如果是累计值，就把热点键单独处理，或给窗口分区"
        "多加一列。",
        pros=("热点键的大部分行在汇集之前就被去掉。",),
        cons=("一个窗口变成两个。",),
        risk="适用于 rank、row_number 等 top-n；对键的全部行做的累计值不能切分。",
        verify=("最重的 task 读取量与普通 task 接近（{stages}）。",),
    ),
    "repartition_evenly": Words(
        title="按数量或换一个键重新分区，不再用 {column}",
        what="{place} 按 {column} 分布数据，而它的取值不均匀（{keys}）。如果后面不要求相同的键在一起，用 "
        "repartition(n)，n 取 {count} 的倍数；否则给分区键再加一个取值多的列。",
        pros=("{stages}的各个 task 数据量接近。",),
        cons=("之后按 {column} join 或聚合时要重新 shuffle。",),
        risk="结果不变。",
        verify=("最重的 task 读取量与普通 task 接近（{stages}）。",),
    ),
    "repartition_scope": Words(
        title="换一个 PARTITION BY 键，或用 ROUND ROBIN",
        what="{finding} 语句写出时按取值多且均匀的列使用 PARTITIONED BY（SCOPE）或 DISTRIBUTED BY HASH，或者 "
        "ROUND ROBIN；按查询条件 CLUSTERED BY，并明确写出桶数。",
        pros=("各个 vertex 数据量接近。",),
        cons=("之后按 {column} REDUCE 时要重新分区。",),
        risk="结果不变。",
        verify=("vertex 统计中没有哪个 vertex 的读取量明显高于其他。",),
    ),
    "even_input": Words(
        title="把 {table} 的输入切成大小均匀的文件",
        what="{finding} 输入的某一部分远大于其他部分。用可切分的格式（Parquet 或 ORC，而不是 gzip 文本）重写 "
        "{table}，文件大小 128 到 512 MiB；或者读取后立即 repartition。",
        pros=("所有读取该表的作业都受益。",),
        cons=("需要把表重写一次。",),
        risk="数据不变。",
        verify=("最重的 task 读取量与普通 task 接近（{stages}）。",),
    ),
}
