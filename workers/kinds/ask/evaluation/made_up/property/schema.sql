-- A made-up property manager. Comments are Chinese.
CREATE TABLE community ( -- 小区
  community_id INTEGER PRIMARY KEY, -- 小区编号
  community_name TEXT, -- 小区名称
  district TEXT, -- 所在区
  built_year INTEGER, -- 建成年份
  manager TEXT -- 项目经理
);
CREATE TABLE house ( -- 房屋
  house_id INTEGER PRIMARY KEY, -- 房屋编号
  community_id INTEGER REFERENCES community (community_id), -- 小区编号
  house_type TEXT, -- 户型：flat 平层，duplex 复式，shop 商铺
  area REAL, -- 建筑面积（平方米）
  is_rented INTEGER -- 是否出租：1 出租，0 自住
);
CREATE TABLE resident ( -- 业主
  resident_id INTEGER PRIMARY KEY, -- 业主编号
  house_id INTEGER REFERENCES house (house_id), -- 房屋编号
  resident_name TEXT, -- 姓名
  move_in_date DATE -- 入住日期
);
CREATE TABLE fee_bill ( -- 物业费账单
  bill_id INTEGER PRIMARY KEY, -- 账单编号
  house_id INTEGER REFERENCES house (house_id), -- 房屋编号
  bill_month DATE, -- 账单月份
  amount REAL, -- 应缴金额（元）
  paid_amount REAL, -- 实缴金额（元）
  bill_status TEXT -- 缴费状态：paid 已缴，partial 部分缴纳，overdue 欠费
);
CREATE TABLE repair_order ( -- 报修工单
  order_id INTEGER PRIMARY KEY, -- 工单编号
  house_id INTEGER REFERENCES house (house_id), -- 房屋编号
  worker_id INTEGER REFERENCES worker (worker_id), -- 维修工编号
  category TEXT, -- 报修类型：water 水路，power 电路，lift 电梯，other 其他
  reported_at TIMESTAMP, -- 报修时间
  finished_at TIMESTAMP, -- 完工时间
  score INTEGER -- 满意度评分，1 到 5
);
CREATE TABLE worker ( -- 维修工
  worker_id INTEGER PRIMARY KEY, -- 维修工编号
  worker_name TEXT, -- 姓名
  skill TEXT, -- 工种
  hire_date DATE -- 入职日期
);
INSERT INTO community VALUES (1, '翠湖花园', '江北', 2008, '赵敏'), (2, '阳光新城', '江北', 2015, '钱进'), (3, '梧桐里', '鼓楼', 1999, '孙立'), (4, '锦绣江南', '建邺', 2018, '李想'), (5, '听涛苑', '建邺', 2021, '赵敏');
INSERT INTO house WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 180) SELECT i, 1 + i * i % 5, CASE i * 3 % 7 WHEN 0 THEN 'shop' WHEN 1 THEN 'duplex' ELSE 'flat' END, 48 + i * 17 % 130, CASE WHEN i % 4 = 0 THEN 1 ELSE 0 END FROM n;
INSERT INTO resident WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 230) SELECT i, 1 + i * 7 % 180, '业主' || i, date('2016-02-01', (i * 61 % 3600) || ' days') FROM n;
INSERT INTO worker WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14) SELECT i, '师傅' || i, CASE i % 3 WHEN 0 THEN '水暖工' WHEN 1 THEN '电工' ELSE '综合' END, date('2018-05-01', (i * 173 % 2500) || ' days') FROM n;
INSERT INTO fee_bill WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3600) SELECT i, 1 + i % 180, date('2025-01-01', (i / 180) || ' months'), round((48 + (1 + i % 180) * 17 % 130) * 2.5, 2), CASE i * 7 % 15 WHEN 0 THEN 0 WHEN 1 THEN 100 ELSE round((48 + (1 + i % 180) * 17 % 130) * 2.5, 2) END, CASE i * 7 % 15 WHEN 0 THEN 'overdue' WHEN 1 THEN 'partial' ELSE 'paid' END FROM n;
INSERT INTO repair_order WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, 1 + i * i % 173, 1 + i * i % 13, CASE i * 5 % 8 WHEN 0 THEN 'lift' WHEN 1 THEN 'power' WHEN 2 THEN 'power' WHEN 3 THEN 'other' ELSE 'water' END, datetime('2025-01-02 08:00', (i * 29 % 670) || ' days', (i % 10) || ' hours'), CASE WHEN i % 12 = 0 THEN NULL ELSE datetime('2025-01-03 17:00', (i * 29 % 670) || ' days') END, CASE WHEN i % 12 = 0 THEN NULL ELSE 1 + i * 7 % 5 END FROM n;
