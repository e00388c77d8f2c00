"""Chinese: remedies of excess shuffle."""

from workers.kinds.tune.rules.advice.words import Words

SHUFFLE: dict[str, Words] = {
    "broadcast_join": Words(
        title="广播 {other}（{size}），不再对两侧都做 shuffle",
        what="{place} 对两侧都做 shuffle，而 {other} 在内存中只有 {size}，低于 {limit} 的上限。用 F.broadcast 标"
        "记它（SQL 用提示 /*+ BROADCAST({other}) */），大表就能在读取处就地 join。",
        pros=(
            "这个 join 不再对大表做 shuffle 和排序。",
            "结果不变。",
        ),
        cons=("每个 executor 和 driver 都要在内存里放一份 {other}，哈希表约为其两倍大小。",),
        risk="如果 {other} 增长到 executor 放不下，作业会从“慢”变成“失败”。",
        verify=(
            "执行计划中 SortMergeJoin 变为 BroadcastHashJoin 和 BroadcastExchange。",
            "{stages}的 shuffle 数据量消失。",
        ),
    ),
    "remove_repartition": Words(
        title="去掉多余的 repartition（第 {lines} 行）",
        what="{calls}：在有人用到这种分布之前，下一次 Exchange 又把数据打散了，白白 shuffle 了 {bytes}。把这些调用删掉。",
        pros=(
            "整次的 shuffle 消失。",
            "结果不变。",
        ),
        cons=("如果当初是为了让某个慢步骤有更多 task，请改用 spark.sql.shuffle.partitions。",),
        risk="没有排序要求的地方，行的顺序可能不同。",
        verify=(
            "执行计划的 Exchange 变少，不再有 REPARTITION。",
            "{stages}为此花的时间消失或变短。",
        ),
    ),
    "remove_repartition_keep": Words(
        title="去掉多余的 repartition（第 {lines} 行），只分区一次",
        what="{calls}：在有人用到这种分布之前，下一次 Exchange 又把数据打散了，白白 shuffle 了 {bytes}。删掉它们"
        "，保留 {kept}：后面的步骤发现相同的键已在一起，不再需要自己的 Exchange。",
        pros=(
            "整次的 shuffle 消失，一次分区供后续多个步骤复用。",
            "结果不变。",
        ),
        cons=("如果当初是为了让某个慢步骤有更多 task，请改用 spark.sql.shuffle.partitions。",),
        risk="没有排序要求的地方，行的顺序可能不同。",
        verify=(
            "执行计划只剩一个 REPARTITION_BY_COL 的 Exchange，没有 RoundRobinPartitioning。",
            "{stages}为此花的时间消失或变短。",
        ),
    ),
    "remove_sort": Words(
        title="去掉多余的全局排序 {calls}",
        what="{calls} 对所有行做全局排序，而下一次 Exchange 又把顺序打乱：白白 shuffle 了 {bytes}，而且为了采样"
        "键的分布，下面的步骤还要多跑一遍。删掉这个 orderBy，或者只对最终结果排序。",
        pros=(
            "少一次 shuffle 和一次采样。",
            "结果不变。",
        ),
        cons=(),
        risk="组内行的顺序会不同：只影响 first、last 或收集列表，而脚本在这里没有使用。",
        verify=(
            "执行计划中聚合之下不再有 rangepartitioning。",
            "{stages}为此花的时间消失或变短。",
        ),
    ),
    "early_projection": Words(
        title="shuffle 之前只 select 用到的列：去掉 {unused}",
        what="shuffle 的 {bytes} 里带着 {table} 的 {unused}，而后面没有任何地方用到。在 {place} 之前就做投影（尽"
        "早 select 需要的列，或 drop 不需要的列）。",
        pros=(
            "读取、shuffle、排序和落盘的数据都变少。",
            "结果不变。",
        ),
        cons=("以后需要某列时要加回来。",),
        risk="从实际执行的计划看，shuffle 之后没有用到这些列。",
        verify=(
            "Exchange 携带的列变少，shuffle 写入量下降。",
            "扫描的 ReadSchema 列变少。",
        ),
    ),
    "early_projection_distinct": Words(
        title="在 distinct 和 shuffle 之前只 select 用到的列：去掉 {unused}",
        what="shuffle 的 {bytes} 里带着 {table} 的 {unused}，后面除了 distinct（它会比较给它的所有列）之外没有任"
        "何地方用到。在 {place} 之前就做投影（尽早 select），并保留能区分行的列：{kept}。如果这些列本身唯一"
        "，distinct 也是多余的，可以一并去掉。",
        pros=("读取、shuffle、比较和落盘的数据都变少。",),
        cons=("distinct 比较的列变少。",),
        risk="只要保留的列相同的行在 {unused} 上也相同，结果就不变：用带和不带这些列的两种 distinct 各计数一次来确认。",
        verify=(
            "Exchange 携带的列变少，shuffle 写入量下降。",
            "distinct 输出的行数与之前相同。",
        ),
    ),
    "early_filter": Words(
        title="在 shuffle 之前过滤：{dropped} 的行在之后才被丢弃",
        what="对 {table} 的 {columns} 的过滤在 shuffle 了 {bytes} 之后才丢弃 {dropped} 的行。它只看这张表自己的"
        "列，所以应紧跟在读取之后、{place} 之前。",
        pros=(
            "不需要的行不再参与 shuffle 和排序。",
            "读取时可能跳过整个文件。",
        ),
        cons=(),
        risk="对 inner join，以及外连接保留侧上的过滤，结果相同；另一侧请仔细确认。",
        verify=(
            "执行计划中过滤位于 Exchange 之下，或出现在扫描的 PushedFilters 里。",
            "shuffle 写入的行数减少约 {dropped}。",
        ),
    ),
    "reduce_by_key": Words(
        title="用 reduceByKey 或 aggregateByKey 代替 groupByKey",
        what="{finding} groupByKey 会把每个值都发到网络上；reduceByKey 和 aggregateByKey 先在每个 task 内合并同"
        "一个键的值。DataFrame 的 groupBy().agg() 会自动这样做。",
        pros=("每个 task 每个键最多 shuffle 一个值。",),
        cons=("计算必须能由部分结果合并。",),
        risk="函数必须满足结合律和交换律。",
        verify=("shuffle 写入量下降，shuffle 与读取之比低于 1.5。",),
    ),
    "less_volume": Words(
        title="减少 shuffle：先聚合和裁剪列再 join，只分区一次",
        what="{finding} 读取 {read}，却 shuffle 了 {bytes}。join 之前先按 join 键聚合，只 select 需要的列；如果"
        "多次使用相同的键，就按它分区一次（repartition 后缓存，或对两张表 bucketBy）。",
        pros=("每一步处理的数据都更少。",),
        cons=("脚本的步骤顺序会改变。",),
        risk="join 之前聚合，只对按 join 键的求和与计数成立；请对比结果。",
        verify=("shuffle 与读取之比低于 1.5。",),
    ),
    "less_volume_scope": Words(
        title="减少 shuffle：先聚合和裁剪列再 join，只分区一次",
        what="{finding} 读取 {read}，却 shuffle 了 {bytes}。join 之前先按 join 键聚合，读取输入时只 select 需要的列；如果多条语句"
        "使用相同的键，就按这些键 CLUSTERED BY 写出一次，后面的 join 和 REDUCE 无需再重新分布。",
        pros=("每一步处理的数据都更少。",),
        cons=("脚本中语句的顺序会改变。",),
        risk="join 之前聚合，只对按 join 键的求和与计数成立；请对比结果。",
        verify=("shuffle 与读取之比低于 1.5。", "数据流图上阶段之间的数据量下降。"),
    ),
    "bucket_inputs": Words(
        title="按 join 键把两侧输入写成分桶表",
        what="{finding} 如果相同的表反复按相同的键 join，就在两侧都用 bucketBy(n, 键).sortBy(键) 写出：分布一致的表 join 时无需 shuffle。",
        pros=("shuffle 只在写入时付出一次。",),
        cons=("两张表都要重写，桶数必须相同。",),
        risk="只有用 saveAsTable 保存的表才保留分桶信息。",
        verify=("执行计划中 join 之下没有 Exchange。",),
    ),
    "partition_inputs_scope": Words(
        title="按 join 键对两侧输入分区",
        what="{finding} 写出输入时按 join 键 CLUSTERED BY、PARTITIONED BY（HASH），并写明桶数，两侧相同；或者给"
        "小的一侧加 BROADCASTLEFT 或 BROADCASTRIGHT 提示，这样 join 读取的数据本来就在一起。",
        pros=("join 不再重新分区输入。",),
        cons=("输入要按这种布局写出。",),
        risk="结果不变。",
        verify=("Algebra 中 join 之前没有分区 vertex。",),
    ),
    "many_joins": Words(
        title="减少一条语句里的 join：中间先聚合或裁剪列",
        what="{finding} 先把小表相互 join，小的一侧用广播，尽早 select 需要的列；多条语句共用的中间结果先存下来。",
        pros=("每个 join 携带的数据更少。",),
        cons=("脚本的语句变多。",),
        risk="外连接的顺序有影响；请对比结果。",
        verify=("执行计划里的 shuffle 次数和数据量减少。",),
    ),
    "many_groupings": Words(
        title="合并键相同或有包含关系的分组",
        what="{finding} 按最细的键分组一次，再由它得到较粗的结果，或使用 GROUPING SETS；按公共键只分区一次。",
        pros=("数据只重新分布一次。",),
        cons=("平均值和去重计数不能由更细的分组得到。",),
        risk="请逐个对比各分组的结果。",
        verify=("执行计划里的 shuffle 次数减少。",),
    ),
    "many_distincts": Words(
        title="去掉因为键唯一而多余的 DISTINCT",
        what="{finding} 每个 DISTINCT 都会按它的全部列重新分布数据。对键已唯一的行去掉它，把它放到会使行数膨胀的 "
        "join 之前，或者在允许时使用近似计数。",
        pros=("每去掉一个就少一次 shuffle。",),
        cons=("需要知道哪些键是唯一的。",),
        risk="如果键并不唯一，结果会改变。",
        verify=("执行计划中没有函数的聚合变少，行数不变。",),
    ),
}
