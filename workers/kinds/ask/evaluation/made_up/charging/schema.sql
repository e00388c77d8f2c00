-- A made-up network of charging stations. Comments are Chinese.
CREATE TABLE t_station ( -- 充电站
  station_id INTEGER PRIMARY KEY, -- 充电站编号
  station_nm TEXT, -- 站点名称
  city_nm TEXT, -- 所在城市
  operator TEXT, -- 运营商
  open_dt DATE, -- 投运日期
  parking_fee REAL -- 停车费（元/小时）
);
CREATE TABLE t_pile ( -- 充电桩
  pile_id INTEGER PRIMARY KEY, -- 桩编号
  station_id INTEGER REFERENCES t_station (station_id), -- 充电站编号
  pile_type TEXT, -- 桩类型：fast 快充，slow 慢充
  power_kw REAL, -- 额定功率（千瓦）
  pile_status TEXT -- 状态：idle 空闲，busy 使用中，fault 故障
);
CREATE TABLE t_driver ( -- 车主
  driver_id INTEGER PRIMARY KEY, -- 车主编号
  nick_nm TEXT, -- 昵称
  car_brand TEXT, -- 车辆品牌
  reg_dt DATE, -- 注册日期
  member_lvl TEXT -- 会员等级：normal 普通，silver 银卡，gold 金卡
);
CREATE TABLE t_charge_order ( -- 充电订单
  order_id INTEGER PRIMARY KEY, -- 订单编号
  driver_id INTEGER REFERENCES t_driver (driver_id), -- 车主编号
  pile_id INTEGER REFERENCES t_pile (pile_id), -- 桩编号
  start_tm TIMESTAMP, -- 开始充电时间
  energy_kwh REAL, -- 充电量（度）
  elec_fee REAL, -- 电费（元）
  service_fee REAL, -- 服务费（元）
  pay_status TEXT -- 支付状态：paid 已支付，unpaid 未支付，refunded 已退款
);
CREATE TABLE t_fault ( -- 充电桩故障记录
  fault_id INTEGER PRIMARY KEY, -- 故障编号
  pile_id INTEGER REFERENCES t_pile (pile_id), -- 桩编号
  fault_code TEXT, -- 故障代码
  occur_tm TIMESTAMP, -- 发生时间
  fix_tm TIMESTAMP -- 修复时间，未修复为空
);
CREATE TABLE t_coupon ( -- 优惠券
  coupon_id INTEGER PRIMARY KEY, -- 券编号
  driver_id INTEGER REFERENCES t_driver (driver_id), -- 车主编号
  face_value REAL, -- 面值（元）
  issue_dt DATE, -- 发放日期
  used_tm TIMESTAMP -- 使用时间，未使用为空
);
INSERT INTO t_station VALUES (1, '滨江站', '杭州', '绿能', '2021-03-12', 5), (2, '西湖站', '杭州', '畅充', '2022-07-01', 8), (3, '新街口站', '南京', '绿能', '2020-11-20', 6), (4, '光谷站', '武汉', '电小二', '2023-02-14', 0), (5, '天府站', '成都', '畅充', '2023-09-30', 4), (6, '高新站', '成都', '绿能', '2024-05-18', 3), (7, '河西站', '南京', '电小二', '2025-01-08', 0);
INSERT INTO t_pile WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 84) SELECT i, 1 + i * 5 % 7, CASE WHEN i % 5 < 3 THEN 'fast' ELSE 'slow' END, CASE WHEN i % 5 < 3 THEN 60 + i % 4 * 30 ELSE 7 END, CASE i * 7 % 12 WHEN 0 THEN 'fault' WHEN 1 THEN 'busy' WHEN 2 THEN 'busy' WHEN 3 THEN 'busy' WHEN 4 THEN 'busy' ELSE 'idle' END FROM n;
INSERT INTO t_driver WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i, '车友' || i, CASE i * 3 % 7 WHEN 0 THEN '比亚迪' WHEN 1 THEN '比亚迪' WHEN 2 THEN '特斯拉' WHEN 3 THEN '蔚来' WHEN 4 THEN '小鹏' ELSE '理想' END, date('2023-06-01', (i * 47 % 1200) || ' days'), CASE WHEN i % 9 = 0 THEN 'gold' WHEN i % 9 < 4 THEN 'silver' ELSE 'normal' END FROM n;
INSERT INTO t_charge_order WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, 1 + i * i % 191, 1 + i * 13 % 84, datetime('2025-01-01 06:00', (i * 31 % 680) || ' days', (i * 7 % 17) || ' hours'), round(6 + i * 17 % 55 + (i % 3) * 0.4, 1), round((6 + i * 17 % 55) * 0.9, 2), round((6 + i * 17 % 55) * 0.4 + 1, 2), CASE i * 11 % 14 WHEN 0 THEN 'refunded' WHEN 1 THEN 'unpaid' ELSE 'paid' END FROM n;
INSERT INTO t_fault WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 260) SELECT i, 1 + i * i % 79, CASE i % 4 WHEN 0 THEN 'E01' WHEN 1 THEN 'E02' WHEN 2 THEN 'E07' ELSE 'E01' END, datetime('2025-01-04 09:00', (i * 23 % 670) || ' days'), CASE WHEN i % 10 = 0 THEN NULL ELSE datetime('2025-01-05 15:00', (i * 23 % 670) || ' days') END FROM n;
INSERT INTO t_coupon WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, 1 + i * 7 % 180, 5 + i % 4 * 5, date('2025-02-01', (i * 11 % 600) || ' days'), CASE WHEN i % 3 = 0 THEN NULL ELSE datetime('2025-02-03 12:00', (i * 11 % 600) || ' days') END FROM n;
