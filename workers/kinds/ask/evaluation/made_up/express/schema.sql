-- A made-up courier. Comments are Chinese.
CREATE TABLE outlet ( -- 网点
  outlet_id INTEGER PRIMARY KEY, -- 网点编号
  outlet_name TEXT, -- 网点名称
  province TEXT, -- 省份
  level TEXT -- 网点级别：A 一级，B 二级
);
CREATE TABLE courier ( -- 快递员
  courier_id INTEGER PRIMARY KEY, -- 快递员编号
  outlet_id INTEGER REFERENCES outlet (outlet_id), -- 所属网点
  courier_name TEXT, -- 姓名
  entry_date DATE, -- 入职日期
  leave_date DATE -- 离职日期，为空表示在职
);
CREATE TABLE waybill ( -- 运单
  waybill_no INTEGER PRIMARY KEY, -- 运单号
  courier_id INTEGER REFERENCES courier (courier_id), -- 派件快递员
  send_time TIMESTAMP, -- 寄件时间
  sign_time TIMESTAMP, -- 签收时间
  weight REAL, -- 重量（千克）
  freight REAL, -- 运费（元）
  goods_type TEXT, -- 物品类型：doc 文件，food 食品，cloth 服装，elec 电子产品
  state TEXT -- 运单状态：transit 运输中，signed 已签收，returned 已退回，lost 丢失
);
CREATE TABLE complaint ( -- 投诉
  complaint_id INTEGER PRIMARY KEY, -- 投诉编号
  waybill_no INTEGER REFERENCES waybill (waybill_no), -- 运单号
  reason TEXT, -- 投诉原因
  created_at TIMESTAMP, -- 投诉时间
  compensation REAL -- 赔付金额（元）
);
INSERT INTO outlet VALUES (1, '浦东网点', '上海', 'A'), (2, '虹桥网点', '上海', 'B'), (3, '工业园网点', '江苏', 'A'), (4, '玄武网点', '江苏', 'B'), (5, '萧山网点', '浙江', 'A');
INSERT INTO courier WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45) SELECT i, 1 + i * i % 5, '小哥' || i, date('2019-05-01', (i * 83 % 2400) || ' days'), CASE WHEN i % 8 = 0 THEN date('2026-02-01', (i * 3) || ' days') END FROM n;
INSERT INTO waybill WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3600) SELECT 100000 + i, 1 + i * i % 43, datetime('2025-01-01 09:00', (i * 19 % 675) || ' days', (i % 9) || ' hours'), CASE WHEN i * 7 % 20 IN (0, 1, 2) THEN NULL ELSE datetime('2025-01-03 15:00', (i * 19 % 675) || ' days') END, round(0.3 + i * 13 % 80 / 4.0, 1), 8 + i * 13 % 40, CASE i * 3 % 7 WHEN 0 THEN 'doc' WHEN 1 THEN 'food' WHEN 2 THEN 'elec' ELSE 'cloth' END, CASE i * 7 % 20 WHEN 0 THEN 'transit' WHEN 1 THEN 'returned' WHEN 2 THEN 'lost' ELSE 'signed' END FROM n;
INSERT INTO complaint WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 210) SELECT i, 100000 + i * 17, CASE i % 4 WHEN 0 THEN '破损' WHEN 1 THEN '延误' WHEN 2 THEN '延误' ELSE '服务态度' END, datetime('2025-01-20 10:00', (i * 23 % 640) || ' days'), CASE WHEN i % 3 = 0 THEN 0 ELSE 20 + i * 7 % 180 END FROM n;
