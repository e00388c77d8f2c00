"""Chinese names of things in companies of all sorts, and the English words by which schemas name them; several are tried in turn."""

# ruff: noqa: E501 a field a line

_FIELDS: tuple[dict[str, str], ...] = (
    {  # health
        "department/ward": "科室|病房", "doctor/physician": "大夫|医师", "nurse": "护士", "clinic": "诊所", "prescription": "处方|药方|开药", "blood type": "血型", "blood pressure": "血压",
        "specialty/specialization": "专科|专长", "medication/drug": "药|药物名", "dose/dosage": "剂量|用量", "symptom": "症状", "disease/condition": "疾病|病症|病情", "surgery": "手术", "insurance": "保险|医保",
        "insurer/insurance company/insurance": "保险公司|保险商", "allergy": "过敏", "vaccine": "疫苗", "admission": "住院|入院", "discharge": "出院", "waiting": "等待|等候", "waiting time/wait time/waiting": "等待时间|等候时间", "cooling/refrigeration": "冷藏", "refill": "续方|续药", "visit/appointment": "就诊|门诊", "test/lab test": "化验|检验|检查",
        "result/outcome": "结局|检验结果", "side effect/adverse event": "副作用|不良反应", "dermatologist/doctor": "皮肤科医生", "height": "身高", "body weight/weight": "体重", "no show": "爽约|未到诊",
    },
    {  # trade and deliveries
        "shipment": "运单|货单|发货单|物流单", "carrier": "承运商|快递公司|物流公司|承运人", "freight/shipping cost": "运费|运输费|配送费", "vehicle": "车辆|机动车", "truck": "卡车|货车", "plate number/license plate": "车牌|车牌号",
        "capacity": "载重|容量|运力", "complaint": "投诉", "compensation": "赔偿|赔偿金|赔付", "destination": "目的地", "destination city": "目的城市|到达城市", "origin": "始发地|出发地|产地", "distance": "距离|里程", "contract": "合同",
        "delivered/delivery": "签收|送达|交付", "purchase": "购买|采购|购置", "purchase order": "采购单|采购订单", "package/parcel": "包裹|快递", "container": "集装箱|容器", "shelf": "货架", "batch": "批次", "sku": "货号", "unit": "单位",
        "brand": "商标", "shop/store": "店|网店|店面", "cart": "购物车", "wishlist": "心愿单", "rebate": "返利", "wholesale": "批发", "retail": "零售", "shipping address": "收货地址|送货地址", "receiver/recipient": "收件人|收货人", "sender": "寄件人|发件人|发送人|发送者",
        "delay": "延误|延迟|晚点|误点", "damage": "破损|损坏", "lost": "丢失|遗失", "returned": "退回", "in transit": "运输中|在途",
    },
    {  # accounts, subscriptions, payments
        "account": "账号|户头|帐户|帐号", "invoice": "账单|发票单", "subscription": "订购", "plan": "计划|订阅套餐", "seat": "席位|座位", "tenant": "租户", "license": "许可证|授权", "renewal": "续订|续费", "churn": "流失", "trial": "试用",
        "industry": "行业|产业", "company name/company/business name": "公司名称|企业名称|公司名", "ticket": "工单号|支持工单", "priority": "优先级|紧急程度", "satisfaction": "满意度", "satisfaction score": "满意度得分|满意度评分", "response time": "响应时间",
        "due": "到期|应付", "overdue": "逾期|超期", "refunded": "已退款|退款的", "payment": "缴费|打款", "transfer": "转账|汇款|划转", "withdrawal": "提现|取款|取现", "top up/recharge": "充值", "bonus/reward": "奖励|奖金", "points": "积分", "fee": "费用|服务费|费|收费", "rate": "费率|利率|比例值|率",
        "interest": "利息", "credit limit": "信用额度|额度", "debt": "债务|欠款", "asset": "资产", "income/revenue": "收益|进账", "expense": "支出|开支|花费", "voucher": "代金券", "coupon": "券", "redemption": "兑换|核销", "fraud": "欺诈", "risk": "风险",
        "chargeback": "拒付", "settlement": "结算|清算", "ledger": "账本|总账", "iban/bank account": "银行账户|银行账号", "beneficiary": "受益人", "holding/position": "持仓|持有", "dividend": "股息|分红", "portfolio": "投资组合|组合", "fund": "基金产品",
    },
    {  # people and work
        "staff/employee": "工作人员|人员|职工", "salary/wage": "薪酬|年薪|月薪", "position/job title/title": "职位|岗位|职务", "leave/left/termination/resignation": "离职|辞职|离开", "supervisor/manager": "主管|上级|领导", "hire/hired": "雇用|聘请|入职时间", "termination": "解雇", "attendance": "考勤|出勤", "leave": "请假|休假|假期",
        "overtime": "加班", "training": "培训", "candidate/applicant": "候选人|应聘者|申请人", "application": "申请|应用程序", "interview": "面试", "skill": "技能", "shift": "班次", "project": "项目名", "client": "甲方|委托人", "contact": "联系人|联系方式", "representative": "代表", "birth date/date of birth/birth": "出生日期|生日|出生年月",
        "full name/name": "全名|姓名全称", "nickname/username": "昵称|用户名", "gender/sex": "性别", "marital status": "婚姻状况|婚姻", "education": "学历|教育程度|教育", "occupation": "职业", "family": "家庭", "child": "孩子|儿童|子女", "parent": "家长|父母",
    },
    {  # places, travel, media
        "country": "国别", "province/state": "省级", "district": "行政区|城区", "village": "村|村庄", "town": "镇|乡镇", "neighborhood": "社区|街区|小区", "building": "楼|建筑|大楼", "floor": "楼层|层", "island": "岛|岛屿", "port": "港口|港", "bridge": "桥", "road": "道路|公路",
        "trip": "行程|旅程|出行", "ticket": "票|车票|机票|门票", "booking/reservation": "预订|预定|订房", "passenger": "乘客|旅客", "guest": "客人|住客", "departure": "出发|起飞|离港", "arrival": "到达|抵达|降落|到港", "aircraft/plane": "飞机|机型", "ground transport": "地面交通", "fare": "票价", "stop": "经停|停靠",
        "departure time": "出发时间|起飞时间", "arrival time": "到达时间|抵达时间", "check in": "入住|签到", "business": "商铺|商户店铺", "tip": "小费|贴士|小贴士", "opening hours/hours": "营业时间", "photo": "照片|图片", "video": "视频", "post": "帖子|发帖", "like": "点赞", "follower": "粉丝|关注者", "friend": "好友|朋友",
        "channel": "频道", "episode": "剧集|集", "podcast": "播客", "magazine": "刊物", "publisher": "出版社|出版商", "dataset": "数据集", "venue": "会场|场地|发表场所", "event/activity": "活动", "sponsor": "赞助商", "match": "场次|赛事", "season": "赛季", "goal": "进球", "coach": "教练", "stadium": "体育场|球场", "star/rating": "星级",
    },
    {  # machines, software, measurements
        "machine": "机器|机台", "equipment": "设备机组|器材", "sensor": "传感器", "part/component": "零件|部件|组件", "factory/plant": "工厂|厂", "production line": "生产线|产线", "defect": "缺陷|次品", "inspection": "质检|巡检", "maintenance": "维护|保养|维修", "failure/fault": "故障", "alarm/alert": "告警|警报|报警", "downtime": "停机|停机时间",
        "server": "服务器", "service": "服务", "version": "版本", "release": "发布|上线", "error": "错误|报错", "request": "请求", "click": "点击", "page": "页面", "page view/view": "浏览|浏览量|访问量", "login": "登录|登陆", "download": "下载", "campaign": "营销活动|推广活动", "advertisement/ad": "广告", "impression": "曝光|展示次数",
        "conversion": "转化", "lead": "线索|潜在客户", "opportunity": "商机", "deal": "成单|单子", "message": "消息|短信", "call": "通话|电话记录", "file": "文件", "folder": "文件夹", "tag/label": "标签", "note": "笔记|注释", "material": "材料|物料|原料", "energy": "能耗|能源", "electricity/power": "电量|用电|电力", "water": "用水|水", "humidity": "湿度", "pressure": "压力", "voltage": "电压",
        "minute": "分钟数|分钟", "hour": "小时数|工时", "width": "宽度", "depth": "深度", "volume/capacity": "体积|容积", "rate/ratio": "比率值", "value": "数值", "total": "合计值", "start": "开始|起始", "end": "结束|终止|截止", "created/created at": "创建", "updated": "更新", "closed": "关闭|关闭了", "opened": "打开|开启|开立|开通", "resolved": "解决|处理完", "approved": "批准|审批通过",
    },
    {  # codes and states that values name
        "active": "在用|生效", "inactive": "停用|失效|未激活", "cancelled": "取消|取消了|已取消的|撤销", "completed": "完成了|已结束", "pending": "待定|待审核|处理中|待付款", "rejected/declined": "拒绝|被拒绝|被拒|驳回|被驳回",  "failed": "未成功|失败了", "open": "未结", "closed": "已关闭",
        "paid": "已支付|已付|已付款|付清", "unpaid": "未付|未支付|未付款", "urgent": "紧急|加急", "high": "高级", "medium": "中等", "low": "低级", "normal": "普通|正常|一般", "new": "全新", "used": "二手", "true/yes": "真", "confirmed": "已确认|确认", "loyalty level/member level/membership level/tier": "会员等级|会员级别", "content/text/body/comment": "内容|正文|评论内容", "opened/opening/open": "开业|开张|开馆", "night": "晚数|间夜", "success/succeeded/completed": "成功", "room type": "房型", "housing/apartment": "公寓", "suite": "套房", "balcony": "阳台", "credit card": "信用卡支付", "wire transfer/bank transfer": "电汇|银行汇款", "paypal": "贝宝", "mobile": "移动|手机端", "desktop": "桌面|电脑端",
        "individual/personal": "个人", "corporate/business": "企业客户|公司客户", "monthly": "月付|按月付", "annual/yearly": "年付|按年付", "public": "公立|公开", "private": "私立|私有", "domestic": "国内", "international": "国际|国外", "road": "公路运输", "rail": "铁路", "air": "空运|航空", "sea": "海运", "van": "面包车|厢式车", "suspended": "暂停|冻结|封禁", "expired": "过期|已过期", "draft": "草稿", "shipped": "已发出", "processing": "进行中",
    },
)  # fmt: skip

MORE_WORDS: dict[str, str] = {word: english for field in _FIELDS for english, words in field.items() for word in words.split("|")}
"""Chinese word → English words."""

MORE_NEUTRAL = frozenset(
    "住|居住|住在|生活|生产|制造|开出|开|经过|需要|目前还|还在|我们的|咱们|公司里|系统中|系统里|手上|名下|下面|一个|一种|当中|其中|里面|之中|平台|平台上|收取|发生|发生在|出现|得出|拿|办理|发往|寄往|送往|运往|发到|送到|前往|飞往|发出|寄出|从哪里|来|"
    "对应|相应|具体|相关|有关|关于|针对|名单|列表|清单|明细|各是|都是|分别有|合起来|加起来|总的|总体来说|大概|左右|一下子|请帮我|帮忙|告诉我|告诉|麻烦|一共是|共计|钱|元钱|块钱|美元|元|块|人民币|欧元|岁|公斤|千克|公里|千米|平方公里|平方米|米|小时的|吨|克|"
    "有什么不同|有何不同|有什么差别|有什么区别|有何区别|有什么差异|有何差异|撰写|编写|著有|撰|就职|任职|工作|"
    "通过|经由|借助|经过|带来|产生了|"
    "它们的|他们的|当年|现有|现存|已有|有过|做过|用过|提过|提出|提交|新增|新建|新开|下的|上面|那个|这个|那里|哪里|何处|每人|什么样|怎样|所处|所在|处于|处在|设在|的话|以后的|到目前为止|至今为止|截至目前".split("|")
)
"""Further words that change nothing once everything else is placed. Units of measurement are those of the column."""
