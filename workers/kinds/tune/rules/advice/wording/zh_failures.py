"""Chinese: remedies of attempts that fail."""

from workers.kinds.tune.rules.advice.words import Words

FAILURES: dict[str, Words] = {
    "outside_system": Words(
        title="带退避地重试，并用更少、更大的批次调用外部系统",
        what="{finding} 错误来自 Spark 之外：{error}，位置是 {where}。对调用本身做几次重试，间隔逐渐加长并加随机抖动"
        "，避免一次断连就让整个 task 失败；每个分区只开一个连接，批量调用，并把同时调用的 task 数限制在对方"
        "能承受的范围（调用前 coalesce）。",
        pros=("一次断连只损失一次调用，而不是整个 task 的工作。",),
        cons=("需要改代码；外部系统仍是上限。",),
        risk="有写操作的调用必须能安全地重复。",
        verify=(
            "失败的 task 尝试消失（目前 {failed} 次）。",
            "外部系统上的连接数减少。",
        ),
    ),
    "out_of_memory": Words(
        title="task 因内存失败：减小 task，或给每个 task 更多内存",
        what="{finding} 错误信息：{error}。给 {place} 更多分区；给 executor 更多内存（Python 进程和本地代码用 "
        "spark.executor.memoryOverhead）；不要把大结果 collect 到 driver。",
        pros=("不再重复做同样的工作。",),
        cons=("容器更大，或 task 更多。",),
        risk="结果不变。",
        verify=("失败的 task 尝试消失（目前 {failed} 次）。",),
    ),
    "disk_full": Words(
        title="task 因磁盘空间失败：加大本地磁盘，减少占用",
        what="{finding} 错误信息：{error}。给 spark.local.dir 更大或更多的磁盘，增加分区数以减少同时占用，并清理旧的 shuffle 文件。",
        pros=("不再重复做同样的工作。",),
        cons=("更大的磁盘要花钱。",),
        risk="结果不变。",
        verify=("失败的 task 尝试消失（目前 {failed} 次）。",),
    ),
    "fetch_failed": Words(
        title="shuffle 文件丢失：让它独立于 executor，并更耐心地拉取",
        what="{finding} {error}：task 拉取不到其他 task 的输出，整个 Stage 被重跑。先查看在此之前丢失的 "
        "executor；启用外部 shuffle 服务（或 shuffle 跟踪、带迁移的下线），并延长拉取的重试。",
        pros=("丢失一个 executor 不再连带丢失它的 shuffle 文件。",),
        cons=("重试时间更长，也会更久地掩盖过载的节点。",),
        risk="结果不变。",
        verify=("下次运行不再有 FetchFailed（目前失败 {failed} 次）。",),
    ),
    "missing_data": Words(
        title="文件找不到：读取固定的快照",
        what="{finding} 错误信息：{error}。作业读取期间有别的程序删除或改写文件：改为读取快照或带版本的表，或者等写入方先完成。",
        pros=("作业不再靠运气。",),
        cons=("作业之间要排好顺序。",),
        risk="此前的结果可能不完整。",
        verify=("失败的 task 尝试消失（目前 {failed} 次）。",),
    ),
    "executors_lost": Words(
        title="executor 丢失导致 task 失败：留住它们，或减少损失",
        what="{finding} {error}。executor 不要放在会被抢占的机器上，或让 Spark 在下线前迁移数据（"
        "decommissioning）；并在集群日志里查它们退出的原因，最常见的是内存。",
        pros=("不再重复做同样的工作。",),
        cons=("不会被抢占的机器更贵。",),
        risk="结果不变。",
        verify=("失败的 task 尝试消失（目前 {failed} 次）。",),
    ),
    "own_error": Words(
        title="修复让作业失败的错误：{where}",
        what="{finding} 错误信息：{error}。每次重试都会再出现，增加重试次数只会浪费时间：修改 {where}，或者在 "
        "{place} 之前把它处理不了的行挑出来。",
        pros=("作业能完成，出错时也能尽早结束。",),
        cons=("挑出来的行需要有人查看。",),
        risk="如何处理坏数据会改变结果：请有意识地决定。",
        verify=("没有失败的作业，也没有失败的尝试（目前 {failed} 次）。",),
    ),
    "passing_error": Words(
        title="查清 {where} 为什么失败、重试又能通过",
        what="{finding} 错误信息：{error}，位置是 {where}。同样的工作下一次尝试就成功了，说明它取决于时间、机器或外部"
        "服务：在那里捕获并稍候重试，而不是让整个 task 失败。",
        pros=("一次失败只损失一次调用，而不是整个 task。",),
        cons=("需要改代码。",),
        risk="重复执行的部分必须能安全地重复。",
        verify=("失败的 task 尝试消失（目前 {failed} 次）。",),
    ),
}
