"""Chinese words of data questions: what they do, and the English words by which schemas name the same things."""

from contracts.queries import Aggregate, Operator, TimeUnit
from workers.engines.questions.items import Kind

Meaning = tuple[Kind, object]


def _rows(kind: Kind, payload: object, phrases: str) -> dict[str, Meaning]:
    return {phrase: (kind, payload) for phrase in phrases.split("|")}


PHRASES: dict[str, Meaning] = {
    **_rows(Kind.COUNT, None, "有多少|多少|一共有多少|总共有多少|共有多少|有几|几个|几家|几名|几位|多少个|多少家|多少名|多少位|多少条|多少门|多少篇|多少笔|多少次|多少辆|多少座|多少种|多少件|多少人|数量|个数|总数|总数量|人数|笔数|次数|件数|单数|总人数|的数量|的总数|数目|数|各有多少|各有几|计数|共几"),
    **_rows(Kind.DISTINCT, None, "去重|不同的|不重复|去重后|不重复的|唯一"),
    **_rows(Kind.AGGREGATE, Aggregate.AVERAGE, "平均|均值|平均值|平均数|人均"),
    **_rows(Kind.AGGREGATE, Aggregate.SUM, "总|合计|总计|总和|之和|总额|累计|总量|总金额"),
    **_rows(Kind.AGGREGATE, Aggregate.MAXIMUM, "最大值|最高值"),
    **_rows(Kind.AGGREGATE, Aggregate.MINIMUM, "最小值|最低值"),
    **_rows(Kind.MOST, True, "最高|最多|最大|最好|最长|最贵|最高的|最多的|最大的|最好的|最长的|最贵的"),
    **_rows(Kind.MOST, False, "最低|最少|最小|最差|最短|最便宜|最低的|最少的|最小的|最差的|最短的|最便宜的"),
    **_rows(Kind.LATEST, True, "最新|最新的|最近一次|最近的"),
    **_rows(Kind.LATEST, False, "最早|最早的|最旧"),
    **_rows(Kind.TOP, True, "前|排名前|排前"),
    **_rows(Kind.COMPARE, Operator.GREATER, "大于|超过|高于|多于|高过|以上的|>|＞|晚于"),
    **_rows(Kind.COMPARE, Operator.GREATER_EQUAL, "不低于|不少于|至少|大于等于|大于或等于|不小于|>=|≥"),
    **_rows(Kind.COMPARE, Operator.LESS, "小于|低于|少于|不到|不足|<|＜"),
    **_rows(Kind.COMPARE, Operator.LESS_EQUAL, "不超过|至多|最多不超过|小于等于|小于或等于|不高于|不多于|<=|≤"),
    **_rows(Kind.COMPARE, Operator.EQUAL, "等于|正好是|="),
    **_rows(Kind.EACH, None, "每个|每家|每名|每位|每种|每门|每篇|每条|每座|每辆|每笔|每所|每款|每类|每支|每部|每一个|每一位|每一种|每|各|各个|各家|各位|各种|各类|不同|各自"),
    **_rows(Kind.BY, None, "按|按照|根据|依据"),
    **_rows(Kind.DIRECTION, True, "降序|从高到低|从多到少|从大到小|由高到低|由多到少|由大到小|倒序|从新到旧|降序排列|从高到低排序|从高到低排列|从多到少排列|从多到少排序|从大到小排列|从大到小排序|从高到低排|从多到少排"),
    **_rows(Kind.DIRECTION, False, "升序|从低到高|从少到多|从小到大|由低到高|由少到多|由小到大|从旧到新|升序排列|从低到高排序|从少到多排列|从小到大排列|从小到大排序|从早到晚"),
    **_rows(Kind.ORDER, None, "排序|排列|排名|排"),
    **_rows(Kind.SHOW, None, "列出|显示|给出|返回|展示|请列出|请给出|请返回|输出|以及|分别是什么"),
    **_rows(Kind.ASK, None, "是什么|是多少|有哪些|哪些|哪个|哪家|哪位|哪名|哪一个|哪种|哪座|哪条|哪门|哪篇|哪一家|哪一位|哪|什么|是谁|谁|叫什么|都叫什么|各是什么|为多少|怎么样|如何|查询|查一下|统计|请问|找出|查找|看一下|求|哪几个|各是多少|分别是多少|分别|多大|多高|多长"),
    **_rows(Kind.RATIO, False, "比例|比值|占比|之比|比率|的比例|的比值|之比是多少"),
    **_rows(Kind.RATIO, True, "百分比|百分之几|占百分之多少"),
    **_rows(Kind.VERSUS, None, "与|和"),
    **_rows(Kind.BETWEEN, None, "介于"),
    **_rows(Kind.NOT, None, "不|没有|没|非|未|无|不是|除了|除去|没有任何|从未|从来没有|不在|尚未|不供应"),
    **_rows(Kind.AND, None, "和|与|、|及|并且|且|以及|同时|还有|并"),
    **_rows(Kind.OR, None, "或|或者|还是|或是"),
    **_rows(Kind.NAMED, None, "名为|叫做|名叫|名字是|名称为|名称是|叫"),
    **_rows(Kind.CONTAINS, None, "包含|含有|含|里含|中含|中包含|里包含|名里含"),
    **_rows(Kind.EMPTY, None, "为空|缺失|空值|是空的"),
    **_rows(Kind.UNIT, TimeUnit.DAY, "天|日|每日|每天|按天|按日"),
    **_rows(Kind.UNIT, TimeUnit.WEEK, "周|每周|星期|按周"),
    **_rows(Kind.UNIT, TimeUnit.MONTH, "月|月份|每月|每个月|按月|各月|月度"),
    **_rows(Kind.UNIT, TimeUnit.QUARTER, "季度|每季度|每个季度|按季度|各季度|季"),
    **_rows(Kind.UNIT, TimeUnit.YEAR, "年|年度|每年|按年|各年|年份"),
    **_rows(Kind.WEEKEND, True, "周末"),
    **_rows(Kind.WEEKEND, False, "工作日"),
    **_rows(Kind.ABOVE_AVERAGE, Operator.GREATER, "高于平均|高于平均值|超过平均|超过平均值|高于平均水平"),
    **_rows(Kind.ABOVE_AVERAGE, Operator.LESS, "低于平均|低于平均值|低于平均水平"),
    **{word: (Kind.NUMBER, number) for word, number in zip("一二三四五六七八九十", "1 2 3 4 5 6 7 8 9 10".split(), strict=True)},
    "两": (Kind.NUMBER, "2"),
}  # fmt: skip
"""What phrases do. The longest match wins."""

COUNTERS = frozenset("个家名位门篇条座辆笔次种件款所本份张台只人部支")
"""Words between a number and what is counted."""

NEUTRAL = frozenset(
    """的 了 是 有 在 里 中 内 都 呢 吗 请 我 你 们 我们 想 已经 该 每次 再 曾 曾经 知道 要 把 被 由 从 到 对 为 于 上 下 之 所 者 给 给我 一下 看 看看 帮 帮我 这 那 这些 那些 其 它 它们 他们 她
    一共 总共 共 目前 现在 当前 总体 总体上 整体 分组 统计 分别 位于 供应 提供 发表 发表过 过 开设 开设了 修过 修得 修 上过 属于 来自 带 带有 拥有 具有 存在 就 也 还 而 及其 等
    得到 获得 成 做 作 各自 情况 数据 信息 记录 数据库 表 结果 表示 用 以 需要 包括 大约 到底 究竟 全部 所有 全体 整个 部 产生 完成 下单 进行 使用 教 教过 写 写过 写的 卖出 出 去 来 会 能 可以 应该 每次
    收到 收到过 拿到 之间 期间 多 个 家 名 位 门 篇 条 座 辆 笔 次 种 件 款 所 台 人 分布 变化 随 啊 吧 街上 上的 区 且 并 按""".split()
)
"""Words that change nothing once everything else is placed."""

LEXICON: dict[str, str] = {
    word: english
    for english, words in {
        "name": "名字|名称|姓名|名", "first name": "名字(名)", "last name": "姓|姓氏", "id": "编号|标识|号码|ID", "title": "标题|题目|书名",
        "customer": "客户|顾客|消费者|买家", "order": "订单", "product": "产品|商品|货品", "item": "商品项|条目", "price": "价格|单价|售价", "cost": "成本|费用",
        "amount": "金额|总金额", "quantity": "数量(件)|件数", "sale": "销售|销量|卖", "revenue": "收入|营收|销售额|营业额|销售收入", "profit": "利润", "payment": "付款|支付|收款|款项",
        "method": "方式|方法", "payment method": "支付方式|付款方式|支付方法", "date": "日期|时间", "status": "状态", "type": "类型|种类", "category": "类别|品类|分类", "region": "地区|区域|大区", "city": "城市", "country": "国家",
        "state": "州|省|省份", "county": "县|郡", "street": "街道|街", "address": "地址", "email": "邮箱|电子邮件|邮件", "phone": "电话|电话号码|手机号", "zip": "邮编", "channel": "渠道", "reason": "原因|理由",
        "return": "退货|退货单", "refund": "退款|退款金额", "signed up": "注册|注册时间", "employee": "员工|雇员|职员", "department": "部门|院系|系", "salary": "工资|薪水|薪资", "manager": "经理", "company": "公司|企业",
        "supplier": "供应商", "vendor": "供应商家", "invoice": "发票", "salesperson": "销售员|销售人员|业务员|销售代表", "car": "汽车|车|车辆", "make": "品牌|厂商|制造商", "model": "型号|车型", "color": "颜色",
        "year": "年份", "engine": "发动机|引擎", "inventory": "库存|在库", "snapshot": "快照", "restaurant": "餐厅|餐馆|饭店|饭馆", "food": "食物|菜|菜品", "food type": "菜系|菜式|食物类型",
        "rating": "评分|评级", "review": "评论|评价", "location": "位置|地点", "student": "学生", "course": "课程|课", "instructor": "讲师|教师|老师|授课老师|任课老师", "program": "专业项目|专业", "project/program": "项目",
        "semester": "学期", "grade": "成绩|分数等级", "credit": "学分", "score": "得分|分数|分", "gpa": "绩点|平均绩点", "major": "主修", "minor": "辅修", "college": "学院", "university": "大学", "school": "学校",
        "exam": "考试", "final exam": "期末考试", "final project": "期末项目", "class": "班级|班", "author": "作者", "publication": "论文|出版物|文献|文章|发表物", "journal": "期刊|杂志", "conference": "会议", "domain": "领域",
        "keyword": "关键词|关键字", "organization": "机构|组织", "continent": "洲|大洲", "homepage": "主页|首页", "citation": "引用|被引|引用次数|被引次数|引用数", "reference": "参考文献", "abstract": "摘要", "paper": "论文",
        "population": "人口|人口数|人口数量", "area": "面积", "capital": "首府|首都", "density": "密度|人口密度", "river": "河流|河|江", "length": "长度", "lake": "湖泊|湖", "mountain": "山|山峰|山脉", "altitude": "海拔|高度", "elevation": "海拔高度",
        "border": "边界|接壤|相邻", "highest point": "最高点", "lowest point": "最低点", "transaction": "交易|成交", "ticker": "股票|代码|证券", "symbol": "股票代码|代号|符号", "share": "股数|股份", "exchange": "交易所", "currency": "货币|币种",
        "tax": "税|税费|税额", "commission": "佣金|手续费", "close": "收盘价|收盘", "open": "开盘价|开盘", "high": "最高价", "low": "最低价", "volume": "成交量|交易量", "account": "账户|账号", "user": "用户", "age": "年龄", "gender": "性别", "birth": "出生",
        "book": "书|图书", "movie": "电影", "actor": "演员", "director": "导演", "team": "球队|队伍|团队", "player": "球员|选手", "game": "比赛|游戏", "flight": "航班", "airport": "机场", "airline": "航空公司", "hotel": "酒店", "room": "房间",
        "hospital": "医院", "patient": "患者|病人", "doctor": "医生", "appointment": "预约|挂号", "drug": "药品|药物", "treatment": "治疗", "diagnosis": "诊断", "subscription": "订阅", "plan": "套餐|方案", "session": "会话", "event": "事件", "log": "日志",
        "device": "设备", "ticket": "工单", "task": "任务", "project": "工程项目", "id/number": "代号", "name/title": "名称", "category/type": "类别|品类", "date/time": "时间", "budget": "预算", "merchant": "商户|商家", "wallet": "钱包", "notification": "通知", "coupon": "优惠券", "discount": "折扣", "branch": "分行|分店|门店|店铺", "store": "商店",
        "loan": "贷款", "balance": "余额", "card": "银行卡|卡", "deposit": "存款", "bank": "银行", "warehouse": "仓库", "shipment": "发货|货运", "delivery": "配送|送货", "weight": "重量", "size": "尺寸|大小", "description": "描述|说明", "comment": "备注|留言",
        "join": "加入", "hire": "入职|聘用", "admit": "入学|录取", "graduation": "毕业", "active": "活跃|激活", "level": "级别|等级", "rank": "名次", "duration": "时长", "percentage": "百分比值", "temperature": "温度", "speed": "速度",
        "participation": "参与", "enrolled": "选课", "clarity": "清晰度", "easiness": "简单程度|容易程度", "helpfulness": "帮助程度", "workload": "工作量|课业负担", "textbook": "教材", "discussion": "讨论", "lab": "实验", "hilarious": "风趣", "offering": "开课",
        "number": "号", "owner": "所有者|业主", "property": "物业|房产", "agent": "代理|代理人|经纪人", "policy": "保单", "claim": "理赔", "member": "会员|成员", "group": "组|小组", "song": "歌曲|歌", "album": "专辑", "artist": "艺术家|歌手", "genre": "流派",
        "line": "行项", "trade": "买卖", "broker": "经纪", "stock": "库存量", "nationality": "国籍", "language": "语言", "website": "网站|网址", "visit": "访问|就诊", "source": "来源", "station": "车站|站点", "train": "火车", "route": "路线|线路", "driver": "司机",
    }.items()
    for word in words.split("|")
} | {
    word: english
    for english, words in {
        "in person": "线下|面授", "online": "线上|网上|在线", "cash": "现金", "credit card": "信用卡", "debit card": "借记卡", "check": "支票", "bank transfer": "银行转账|转账",
        "completed": "已完成|完成的|成功", "failed": "失败|失败的", "received": "已收到|已到账", "cancelled": "已取消|取消的", "pending": "待处理|未处理", "shipped": "已发货",
        "north": "北区|北部|北方|北", "south": "南区|南部|南方|南", "east": "东区|东部|东方|东", "west": "西区|西部|西方|西", "web": "网页|网站端|网页端", "app": "应用|手机应用|移动端", "store": "门店|实体店|线下门店",
        "shoe": "鞋|鞋子|鞋类", "clothing": "服装|衣服|服饰", "camping": "露营|露营用品|露营类", "accessory": "配件|配饰", "size": "尺码|尺码不合|尺寸不合", "damaged": "损坏|破损", "late": "迟到|晚到|延误", "changed mind": "改变主意|改主意",
        "male": "男|男性", "female": "女|女性", "red": "红色", "blue": "蓝色", "black": "黑色", "white": "白色", "green": "绿色", "silver": "银色", "gray": "灰色", "electric": "电动", "automatic": "自动|自动挡", "manual": "手动|手动挡",
        "italian": "意大利", "mexican": "墨西哥", "japanese": "日本", "american": "美国", "vegan": "纯素|素食", "seafood": "海鲜",
        "buy": "买入|买", "sell": "卖出", "active": "有效|活跃", "inactive": "无效|不活跃", "stock": "股票类", "etf": "基金", "invoice": "发票支付",
    }.items()
    for word in words.split("|")
}  # fmt: skip
"""Chinese word → the words by which an English schema would name it."""
