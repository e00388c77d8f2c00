-- A made-up bicycle rental with stations, riders, rentals, repairs and payments.
CREATE TABLE stations (
  station_id INTEGER PRIMARY KEY,
  station_name TEXT,
  city TEXT,
  docks INTEGER -- 停车桩数
);
CREATE TABLE bikes (
  bike_id INTEGER PRIMARY KEY,
  kind TEXT, -- 车型：city 城市车，cargo 货运车，electric 电动车
  frame TEXT, -- 车架材料：steel 钢，aluminium 铝，carbon 碳纤维
  weight_kg REAL, -- 重量
  bought_on DATE, -- 购入日期
  home_station INTEGER REFERENCES stations (station_id) -- 所属站点
);
CREATE TABLE riders ( -- 骑手
  rider_id INTEGER PRIMARY KEY,
  full_name TEXT,
  email TEXT,
  tariff TEXT, -- 资费：basic 基础，student 学生，premium 高级
  joined_on DATE -- 加入日期
);
CREATE TABLE rentals ( -- 租借
  rental_id INTEGER PRIMARY KEY,
  bike_id INTEGER REFERENCES bikes (bike_id),
  rider_id INTEGER REFERENCES riders (rider_id),
  started_at TIMESTAMP, -- 开始时间
  minutes INTEGER, -- 骑行分钟数
  distance_km REAL, -- 骑行距离
  price REAL, -- 租金
  state TEXT -- 状态：finished 已完成，aborted 已中止，open 进行中
);
CREATE TABLE repairs ( -- 维修
  repair_id INTEGER PRIMARY KEY,
  bike_id INTEGER REFERENCES bikes (bike_id),
  reported_on DATE, -- 报修日期
  part TEXT, -- 部件：brake 刹车，tyre 轮胎，chain 链条，light 车灯
  cost REAL, -- 维修费用
  is_paid BOOLEAN -- 是否已付
);
INSERT INTO stations VALUES (1, 'Harbour', 'Aldburg', 24), (2, 'Old Market', 'Aldburg', 40), (3, 'University', 'Aldburg', 60), (4, 'Castle', 'Fernau', 18), (5, 'Main Station', 'Fernau', 52), (6, 'Lakeside', 'Tilsen', 30);
INSERT INTO bikes WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80) SELECT i, CASE i * 3 % 7 WHEN 0 THEN 'cargo' WHEN 1 THEN 'electric' WHEN 2 THEN 'electric' ELSE 'city' END, CASE i % 5 WHEN 0 THEN 'carbon' WHEN 1 THEN 'steel' WHEN 2 THEN 'steel' ELSE 'aluminium' END, 9 + i * 7 % 19 + i % 3 * 0.3, date('2022-02-01', (i * 61 % 1600) || ' days'), 1 + i * 5 % 6 FROM n;
INSERT INTO riders WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) SELECT i, 'Rider ' || char(65 + i % 26) || ' ' || i, CASE WHEN i % 9 = 0 THEN NULL ELSE 'r' || i || '@example.com' END, CASE i * 5 % 8 WHEN 0 THEN 'student' WHEN 1 THEN 'premium' WHEN 2 THEN 'student' ELSE 'basic' END, date('2023-01-10', (i * 83 % 1390) || ' days') FROM n;
INSERT INTO rentals WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, 1 + i * i % 79, 1 + CASE WHEN i % 6 < 3 THEN i % 13 * (i % 4) ELSE i % 67 END, datetime('2025-01-02 06:00', (i * 17 % 688) || ' days', (i * 37 % 900) || ' minutes'), 4 + i * 29 % 170, round(0.5 + i * 13 % 240 / 10.0, 1), round(1 + i * 7 % 90 / 4.0, 2), CASE i % 11 WHEN 0 THEN 'aborted' WHEN 5 THEN 'open' ELSE 'finished' END FROM n;
INSERT INTO repairs WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i, 1 + i * 7 % 76, date('2025-01-20', (i * 41 % 670) || ' days'), CASE i * 3 % 8 WHEN 0 THEN 'brake' WHEN 1 THEN 'tyre' WHEN 2 THEN 'light' WHEN 3 THEN 'chain' ELSE 'tyre' END, 5 + i * 11 % 120, i % 3 > 0 FROM n;
