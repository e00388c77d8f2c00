-- A made-up operator of wind and solar plants. Comments are Chinese.
CREATE TABLE t_plant ( -- 电站信息表
  plant_id INTEGER PRIMARY KEY, -- 电站ID
  plant_name TEXT, -- 电站名称
  plant_type TEXT, -- 电站类型：wind 风电，solar 光伏
  province TEXT, -- 所在省份
  capacity_mw REAL, -- 装机容量（兆瓦）
  grid_date DATE -- 并网日期
);
CREATE TABLE t_unit ( -- 发电单元
  unit_id INTEGER PRIMARY KEY, -- 单元编号
  plant_id INTEGER REFERENCES t_plant (plant_id), -- 所属电站
  manufacturer TEXT, -- 制造商
  model TEXT, -- 型号
  install_date DATE, -- 安装日期
  run_state TEXT -- 运行状态：R 运行，S 停运，M 检修
);
CREATE TABLE t_gen_daily ( -- 日发电量
  unit_id INTEGER REFERENCES t_unit (unit_id), -- 单元
  stat_date DATE, -- 统计日期
  gen_kwh REAL, -- 发电量（千瓦时）
  down_hours REAL, -- 停机时长（小时）
  PRIMARY KEY (unit_id, stat_date)
);
CREATE TABLE t_fault ( -- 故障记录
  fault_id INTEGER PRIMARY KEY, -- 故障ID
  unit_id INTEGER REFERENCES t_unit (unit_id), -- 故障单元
  fault_type TEXT, -- 故障类型
  severity TEXT, -- 严重程度：1 轻微，2 一般，3 严重
  occurred_at TIMESTAMP, -- 发生时间
  recovered_at TIMESTAMP, -- 恢复时间，未恢复为空
  repair_cost REAL -- 维修费用（元）
);
CREATE TABLE t_staff ( -- 运维人员
  staff_id INTEGER PRIMARY KEY, -- 工号
  staff_name TEXT, -- 姓名
  plant_id INTEGER REFERENCES t_plant (plant_id), -- 所属电站
  hired_on DATE, -- 入职日期
  has_cert INTEGER -- 是否持证
);
CREATE TABLE t_work_order ( -- 检修工单
  order_no TEXT PRIMARY KEY, -- 工单号
  fault_id INTEGER REFERENCES t_fault (fault_id), -- 对应故障
  staff_id INTEGER REFERENCES t_staff (staff_id), -- 负责人
  dispatched_at TIMESTAMP, -- 派单时间
  finished_at TIMESTAMP, -- 完成时间
  is_overtime INTEGER -- 是否超时
);
CREATE TABLE t_settlement ( -- 电费结算
  settle_id INTEGER PRIMARY KEY, -- 结算ID
  plant_id INTEGER REFERENCES t_plant (plant_id), -- 电站
  settle_month DATE, -- 结算月份
  energy_mwh REAL, -- 上网电量（兆瓦时）
  amount REAL, -- 结算金额（元）
  is_paid INTEGER -- 是否到账
);
INSERT INTO t_plant WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14) SELECT i, CASE i % 7 WHEN 0 THEN 'Hongsheng' WHEN 1 THEN 'Baiyun' WHEN 2 THEN 'Liuhe' WHEN 3 THEN 'Dashan' WHEN 4 THEN 'Qingshui' WHEN 5 THEN 'Jinsha' ELSE 'Nanhu' END || CASE WHEN i > 7 THEN ' II' ELSE ' I' END, CASE WHEN i % 3 = 0 THEN 'solar' ELSE 'wind' END, CASE i * 3 % 5 WHEN 0 THEN 'Gansu' WHEN 1 THEN 'Hebei' WHEN 2 THEN 'Gansu' WHEN 3 THEN 'Jiangsu' ELSE 'Yunnan' END, 20 + i * 17 % 90, date('2016-05-01', (i * 211 % 3000) || ' days') FROM n;
INSERT INTO t_unit WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i, 1 + i * 5 % 13, CASE i % 4 WHEN 0 THEN 'Goldwind' WHEN 1 THEN 'Envision' WHEN 2 THEN 'Longi' ELSE 'Mingyang' END, 'M' || (100 + i % 6), date('2017-01-01', (i * 53 % 2900) || ' days'), CASE WHEN i % 11 = 3 THEN 'S' WHEN i % 13 = 5 THEN 'M' ELSE 'R' END FROM n;
INSERT INTO t_gen_daily WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 17999) SELECT 1 + i % 60, date('2026-01-25', (i / 60) || ' days'), round(4000 + i * 7919 % 9000 + (i % 60) * 13, 1), CASE WHEN i % 37 = 4 THEN i % 9 + 1 ELSE 0 END FROM n;
INSERT INTO t_fault WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, 1 + i * i % 59, CASE i * 3 % 8 % 5 WHEN 0 THEN 'inverter' WHEN 1 THEN 'gearbox' WHEN 2 THEN 'blade' WHEN 3 THEN 'sensor' ELSE 'cable' END, CAST(1 + i % 7 % 3 AS TEXT), datetime('2025-01-03 02:00', (i * 31 % 685) || ' days', (i * 71 % 1300) || ' minutes'), CASE WHEN i % 18 = 6 THEN NULL ELSE datetime('2025-01-03 09:00', (i * 31 % 685 + i % 6) || ' days', (i * 71 % 1300) || ' minutes') END, CASE WHEN i % 18 = 6 THEN NULL ELSE 500 + i * 137 % 9300 END FROM n;
INSERT INTO t_staff WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 48) SELECT 300 + i, 'Staff ' || i, 1 + i * 3 % 14, date('2015-03-01', (i * 87 % 4000) || ' days'), CASE WHEN i % 4 = 1 THEN 0 ELSE 1 END FROM n;
INSERT INTO t_work_order WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 780) SELECT 'WO' || (10000 + i), i, 301 + i * 7 % 43, datetime('2025-01-03 04:00', (i * 31 % 685) || ' days', (i * 71 % 1300) || ' minutes'), CASE WHEN i % 18 = 6 THEN NULL ELSE datetime('2025-01-03 10:00', (i * 31 % 685 + i % 6) || ' days', (i * 71 % 1300) || ' minutes') END, CASE WHEN i % 8 = 1 THEN 1 ELSE 0 END FROM n;
INSERT INTO t_settlement WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 307) SELECT i + 1, 1 + i % 14, date('2025-01-01', (i / 14) || ' months'), 900 + i * 331 % 4000, round((900 + i * 331 % 4000) * (310 + i % 14 * 5), 2), CASE WHEN i > 270 AND i % 3 = 0 THEN 0 ELSE 1 END FROM n;
