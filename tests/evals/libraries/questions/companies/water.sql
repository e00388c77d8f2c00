-- A made-up water utility with Chinese comments: customers, meters, readings, bills and repair orders.
CREATE TABLE dim_plant ( -- 水厂
  plant_id INTEGER PRIMARY KEY,
  plant_nm TEXT, -- 水厂名称
  cap_m3d INTEGER, -- 日供水能力（立方米）
  built_yr INTEGER -- 建成年份
);
CREATE TABLE dim_area ( -- 供水片区
  area_cd TEXT PRIMARY KEY, -- 片区编码
  area_nm TEXT, -- 片区名称
  plant_id INTEGER REFERENCES dim_plant (plant_id) -- 供水水厂
);
CREATE TABLE t_cust ( -- 用水户
  cust_no TEXT PRIMARY KEY, -- 户号
  cust_nm TEXT, -- 户名
  cust_tp INTEGER, -- 用户类型：1 居民，2 商业，3 工业
  area_cd TEXT REFERENCES dim_area (area_cd), -- 所属片区
  open_dt DATE, -- 开户日期
  close_dt DATE -- 销户日期
);
CREATE TABLE t_mtr ( -- 水表
  mtr_no TEXT PRIMARY KEY, -- 表号
  cust_no TEXT REFERENCES t_cust (cust_no), -- 户号
  brand TEXT, -- 品牌
  cal_mm INTEGER, -- 口径（毫米）
  inst_dt DATE, -- 安装日期
  mtr_st TEXT -- 水表状态：N 正常，F 故障，S 停用
);
CREATE TABLE t_rd ( -- 抄表记录
  rd_id INTEGER PRIMARY KEY,
  mtr_no TEXT REFERENCES t_mtr (mtr_no), -- 表号
  rd_dt DATE, -- 抄表日期
  use_m3 INTEGER, -- 用水量（立方米）
  rd_way TEXT -- 抄表方式：M 人工，R 远传
);
CREATE TABLE t_bill ( -- 水费账单
  bill_no INTEGER PRIMARY KEY, -- 账单号
  cust_no TEXT REFERENCES t_cust (cust_no), -- 户号
  bill_dt DATE, -- 出账日期
  amt REAL, -- 应收金额（元）
  paid_amt REAL, -- 实收金额（元）
  pay_ch TEXT, -- 缴费渠道：WX 微信，ZFB 支付宝，YH 银行，GT 柜台
  st TEXT -- 账单状态：P 已缴，U 未缴，O 逾期
);
CREATE TABLE t_wo ( -- 维修工单
  wo_no INTEGER PRIMARY KEY, -- 工单号
  area_cd TEXT REFERENCES dim_area (area_cd), -- 片区
  rpt_ts TIMESTAMP, -- 报修时间
  fix_ts TIMESTAMP, -- 修复时间
  lvl INTEGER, -- 等级：1 一般，2 严重，3 紧急
  pipe_mat TEXT, -- 管材：PE 塑料管，DI 铸铁管，ST 钢管
  cost REAL -- 维修费用（元）
);
INSERT INTO dim_plant VALUES (1, '南湖水厂', 80000, 1996), (2, '青山水厂', 45000, 2008), (3, '临江水厂', 120000, 2017);
INSERT INTO dim_area VALUES ('A1', '城东', 1), ('A2', '城西', 1), ('A3', '高新', 3), ('A4', '滨江', 3), ('A5', '老城', 2), ('A6', '大学城', 2);
INSERT INTO t_cust WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 180) SELECT 'C' || (10000 + i), CASE WHEN i = 17 THEN '城东中学' WHEN i = 33 THEN '蓝鲸饭店' ELSE '用户' || i END, CASE WHEN i = 17 THEN 2 WHEN i % 7 = 5 THEN 3 WHEN i % 4 = 1 THEN 2 ELSE 1 END, 'A' || (1 + i * 7 % 13 % 6), date('2010-02-01', (i * 337 % 6130) || ' days'), CASE WHEN i % 16 = 9 THEN date('2025-03-01', (i * 3) || ' days') END FROM n;
INSERT INTO t_mtr WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 215) SELECT 'M' || (20000 + i), 'C' || (10001 + CASE WHEN i > 170 THEN i * 3 % 41 ELSE i END), CASE i * 3 % 5 WHEN 0 THEN '三川' WHEN 1 THEN '宁水' WHEN 2 THEN '汇中' ELSE '宁水' END, CASE i % 9 WHEN 0 THEN 100 WHEN 1 THEN 50 WHEN 2 THEN 25 ELSE 15 END, date('2012-05-01', (i * 173 % 5200) || ' days'), CASE WHEN i % 14 = 3 THEN 'F' WHEN i % 19 = 5 THEN 'S' ELSE 'N' END FROM n;
INSERT INTO t_rd WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4599) SELECT i + 1, 'M' || (20001 + i % 209), date('2025-01-05', (i / 209) || ' months', (i * 7 % 20) || ' days'), 3 + i * 31 % 47 * (1 + i % 209 % 6) + i % 209 / 7, CASE WHEN i % 209 % 3 = 0 THEN 'M' ELSE 'R' END FROM n;
INSERT INTO t_bill WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3799) SELECT 900001 + i, 'C' || (10001 + i % 173), date('2025-01-28', (i / 173) || ' months'), round(12 + i * 43 % 397 / 1.7, 2), CASE WHEN (i * 5 % 23 IN (3, 7, 11) OR i % 173 % 19 = 4 AND i % 3 = 0) THEN 0 ELSE round(12 + i * 43 % 397 / 1.7, 2) END, CASE WHEN (i * 5 % 23 IN (3, 7, 11) OR i % 173 % 19 = 4 AND i % 3 = 0) THEN NULL WHEN i % 5 < 2 THEN 'WX' WHEN i % 5 = 2 THEN 'ZFB' WHEN i % 7 < 4 THEN 'YH' ELSE 'GT' END, CASE WHEN i * 5 % 23 IN (3, 7) OR i % 173 % 19 = 4 AND i % 3 = 0 THEN 'O' WHEN i * 5 % 23 = 11 THEN 'U' ELSE 'P' END FROM n;
INSERT INTO t_wo WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 320) SELECT 7000 + i, 'A' || (1 + i * i % 11 % 6), datetime('2025-01-08 01:00', (i * 23 % 680) || ' days', (i * 97 % 1400) || ' minutes'), CASE WHEN i % 21 = 8 THEN NULL ELSE datetime('2025-01-08 01:00', (i * 23 % 680) || ' days', (i * 97 % 1400 + 60 + i * 17 % 900) || ' minutes') END, CASE WHEN i % 8 = 0 THEN 3 WHEN i % 5 < 2 THEN 2 ELSE 1 END, CASE i * 3 % 7 WHEN 0 THEN 'ST' WHEN 1 THEN 'DI' WHEN 2 THEN 'DI' WHEN 3 THEN 'ST' ELSE 'PE' END, round(120 + i * 61 % 997 * 1.9, 2) FROM n;
