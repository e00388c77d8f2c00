-- A made-up haulier whose columns have Chinese comments and whose tables declare no keys to each other.
CREATE TABLE t_warehouse ( -- 仓库
  wh_id INTEGER PRIMARY KEY, -- 仓库编号
  wh_name TEXT, -- 仓库名称
  city TEXT, -- 所在城市
  area_sqm INTEGER, -- 面积（平方米）
  opened_on DATE -- 启用日期
);
CREATE TABLE t_carrier ( -- 承运商
  carrier_id INTEGER PRIMARY KEY, -- 承运商编号
  carrier_name TEXT, -- 承运商名称
  mode TEXT, -- 运输方式：road 公路，rail 铁路，air 空运
  contract_end DATE -- 合同到期日
);
CREATE TABLE t_shipment ( -- 运单
  shipment_id INTEGER PRIMARY KEY, -- 运单号
  wh_id INTEGER, -- 发货仓库编号
  carrier_id INTEGER, -- 承运商编号
  dest_city TEXT, -- 目的城市
  weight_kg REAL, -- 重量（公斤）
  freight REAL, -- 运费（元）
  status TEXT, -- 运单状态：delivered 已签收，in_transit 运输中，lost 丢失，returned 退回
  shipped_at TIMESTAMP, -- 发货时间
  delivered_at TIMESTAMP -- 签收时间
);
CREATE TABLE t_vehicle ( -- 车辆
  vehicle_id INTEGER PRIMARY KEY, -- 车辆编号
  plate_no TEXT, -- 车牌号
  vehicle_type TEXT, -- 车型
  capacity_kg INTEGER, -- 载重（公斤）
  carrier_id INTEGER, -- 承运商编号
  purchased_on DATE -- 购买日期
);
CREATE TABLE t_complaint ( -- 投诉
  complaint_id INTEGER PRIMARY KEY, -- 投诉编号
  shipment_id INTEGER, -- 运单号
  reason TEXT, -- 投诉原因：damage 破损，delay 延误，attitude 服务态度
  created_at TIMESTAMP, -- 投诉时间
  compensation REAL, -- 赔偿金额（元）
  is_resolved BOOLEAN -- 是否已解决
);
INSERT INTO t_warehouse VALUES (1, 'Pudong Hub', 'Shanghai', 24000, '2018-04-01'), (2, 'Nansha Port', 'Guangzhou', 18000, '2020-09-15'), (3, 'Xindu Depot', 'Chengdu', 9000, '2022-02-01'), (4, 'Daxing Center', 'Beijing', 21000, '2019-07-20');
INSERT INTO t_carrier VALUES (1, 'Eastline', 'road', '2027-06-30'), (2, 'Railstar', 'rail', '2026-12-31'), (3, 'Skybridge', 'air', '2028-03-31'), (4, 'Truckway', 'road', '2026-09-30'), (5, 'Longhaul', 'road', '2027-01-31');
INSERT INTO t_shipment WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) SELECT i, 1 + i * 7 % 4, 1 + i * i % 4, CASE i * 3 % 7 WHEN 0 THEN 'Wuhan' WHEN 1 THEN 'Shenzhen' WHEN 2 THEN 'Hangzhou' WHEN 3 THEN 'Beijing' WHEN 4 THEN 'Xian' WHEN 5 THEN 'Nanjing' ELSE 'Chengdu' END,
  round(5 + i * 37 % 900 + i % 3 * 0.5, 1), round(40 + i * 53 % 2100 * 1.1, 2), CASE i * 13 % 20 WHEN 0 THEN 'lost' WHEN 1 THEN 'returned' WHEN 2 THEN 'in_transit' WHEN 3 THEN 'returned' ELSE 'delivered' END, datetime('2025-06-01 09:00', (i * 19 % 530) || ' days', (i % 8) || ' hours'), NULL FROM n;
UPDATE t_shipment SET delivered_at = datetime(shipped_at, (1 + shipment_id % 6) || ' days') WHERE status = 'delivered';
INSERT INTO t_vehicle WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT i, 'A' || (10000 + i * 311), CASE i % 3 WHEN 0 THEN 'van' WHEN 1 THEN 'truck' ELSE 'trailer' END, 1000 + i * 700 % 9000, 1 + i * 3 % 5, date('2019-01-01', (i * 71 % 2700) || ' days') FROM n;
INSERT INTO t_complaint WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) SELECT i, 1 + i * 31 % 599, CASE i % 4 WHEN 0 THEN 'damage' WHEN 1 THEN 'delay' WHEN 2 THEN 'delay' ELSE 'attitude' END, datetime('2025-07-01 10:00', (i * 17 % 500) || ' days'), CASE i % 5 WHEN 0 THEN 0 ELSE i * 23 % 400 END, i % 3 > 0 FROM n;
