"""Exports of a made-up company: a Jira CSV in English, a ServiceNow CSV in Chinese, and a table of its own."""

JIRA = """\
Summary,Issue key,Issue id,Status,Resolution,Assignee,Component/s,Labels,Labels,Description,Comment,Comment,Comment
Nightly invoice run hangs,OPS-311,90311,Done,Done,dkim,Oracle,billing,p1,"h3. What happens
The invoice run INV_NIGHT does not finish since 01:10.
* Sessions of user BILL wait for {{enq: TX - row lock contention}}
* {{SELECT * FROM v$lock WHERE block=1}} shows one blocker, SID 412

h3. Steps to reproduce
# start INV_NIGHT

h3. Environment
Oracle 19.21, host orabill2",03/Feb/25 1:20 AM;mwood;looking into it,"03/Feb/25 3:30 AM;dkim;Root cause: an open session with uncommitted updates blocked the batch.","03/Feb/25 3:41 AM;dkim;Killed SID 412, batch restarted."
Archive destination full,OPS-318,90318,Closed,Fixed,dkim,Oracle,billing,,"Everything stands still. Alert log:
{code}
ORA-00257: Archiver error. Connect AS SYSDBA only until resolved.
{code}
$ asmcmd lsdg
FRA is at 100 %. Can someone please have a look? Impact: all customers",11/Feb/25 6:12 AM;dkim;It was caused by the expired password of the tape library.,11/Feb/25 7:00 AM;dkim;Deleted archive logs older than 2 days.,11/Feb/25 7:10 AM;mwood;thanks!
Report server slow,OPS-320,90320,In Progress,,mwood,SSRS,,,Reports take minutes.,,,
Archive full again,OPS-319,90319,Closed,Duplicate,mwood,Oracle,,,see OPS-318,,,
Printer jams,OPS-330,90330,Closed,Done,mwood,,,,The printer jams.,01/Mar/25 9:00 AM;mwood;thanks!,,
"""  # noqa: E501 rows of an export

SERVICENOW = """\
编号,简短描述,说明,状态,配置项,关闭代码,关闭备注,工作备注
INC100231,订单系统报表查询超时,"各位好，从 8 点开始报表页面全部超时。
现象：
1. 慢查询日志里 report_daily 的语句平均 38 秒
2. 执行计划从索引扫描变成全表扫描
影响：财务部门
版本：MySQL 8.0.32",已关闭,mysql-report,已解决（永久）,对 report_daily 执行 ANALYZE TABLE,"2025-01-08 10:20:11 - 王工 (工作备注)
根本原因是夜间批量装载后统计信息没有更新。

2025-01-08 09:30:02 - 李工 (工作备注)
SHOW INDEX 显示 cardinality 为 0"
INC100251,磁盘告警,磁盘使用率 93%。,处理中,mysql-order,,,
"""

OWN = """\
Case,Where,What was reported,Why,What we did
C-1,sybase-1,"Tempdb is 99 % full. sp_who shows one session with a cartesian product.",Missing join condition in a report,Report fixed
"""
OWN_MAP = ("Case=ticket_id", "Where=system", "What was reported=description", "Why=root_cause", "What we did=solution")
