-- A made-up regional airline. Comments are Chinese, names are short.
CREATE TABLE dim_airport ( -- 机场
  apt_code TEXT PRIMARY KEY, -- 机场三字码
  apt_name TEXT, -- 机场名称
  city TEXT, -- 所在城市
  country TEXT -- 国家
);
CREATE TABLE dim_aircraft ( -- 飞机
  tail_no TEXT PRIMARY KEY, -- 机号
  model TEXT, -- 机型
  seats INTEGER, -- 座位数
  delivered_on DATE -- 交付日期
);
CREATE TABLE fct_flight ( -- 航班
  flight_id INTEGER PRIMARY KEY, -- 航班ID
  flight_no TEXT, -- 航班号
  tail_no TEXT REFERENCES dim_aircraft (tail_no), -- 执飞飞机
  dep_apt TEXT REFERENCES dim_airport (apt_code), -- 出发机场
  arr_apt TEXT REFERENCES dim_airport (apt_code), -- 到达机场
  sched_dep_at TIMESTAMP, -- 计划起飞时间
  act_dep_at TIMESTAMP, -- 实际起飞时间，取消的航班为空
  delay_min INTEGER, -- 延误分钟数，取消的航班为空
  delay_reason TEXT, -- 延误原因
  st TEXT -- 状态：F 已飞，D 改降，X 取消
);
CREATE TABLE passengers ( -- 旅客
  pax_id INTEGER PRIMARY KEY, -- 旅客ID
  pax_name TEXT, -- 姓名
  tier TEXT, -- 会员等级
  birth_dt DATE, -- 出生日期
  nationality TEXT -- 国籍
);
CREATE TABLE fct_booking ( -- 订座
  booking_id INTEGER PRIMARY KEY, -- 订座ID
  pax_id INTEGER REFERENCES passengers (pax_id), -- 旅客
  flight_id INTEGER REFERENCES fct_flight (flight_id), -- 航班
  booked_at TIMESTAMP, -- 预订时间
  cabin TEXT, -- 舱位
  fare_amt REAL, -- 票价（欧元）
  tax_amt REAL, -- 税费（欧元）
  is_refunded INTEGER, -- 是否退票
  sale_chn TEXT -- 销售渠道
);
CREATE TABLE fct_baggage ( -- 托运行李
  bag_id INTEGER PRIMARY KEY, -- 行李ID
  booking_id INTEGER REFERENCES fct_booking (booking_id), -- 订座
  weight_kg REAL, -- 重量（公斤）
  is_lost INTEGER -- 是否丢失
);
INSERT INTO dim_airport VALUES ('OSL', 'Gardermoen', 'Oslo', 'Norway'), ('BGO', 'Flesland', 'Bergen', 'Norway'), ('CPH', 'Kastrup', 'Copenhagen', 'Denmark'), ('HAM', 'Helmut Schmidt', 'Hamburg', 'Germany'), ('BER', 'Brandenburg', 'Berlin', 'Germany'), ('GDN', 'Rebiechowo', 'Gdansk', 'Poland'), ('RIX', 'Riga', 'Riga', 'Latvia'), ('KUN', 'Karmelava', 'Kaunas', 'Lithuania');
INSERT INTO dim_aircraft VALUES ('LN-AA', 'ATR 72', 70, '2017-03-10'), ('LN-AB', 'ATR 72', 70, '2018-06-01'), ('LN-AC', 'ATR 72', 72, '2021-05-19'), ('LN-BA', 'E190', 104, '2019-09-23'), ('LN-BB', 'E190', 104, '2022-02-14'), ('LN-CA', 'A220', 137, '2025-04-08'), ('LN-CB', 'A220', 137, '2026-08-30');
INSERT INTO fct_flight WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2400) SELECT 70000 + i, 'NX' || (100 + i * 7 % 46), CASE i * 7 % 13 % 6 WHEN 0 THEN 'LN-AA' WHEN 1 THEN 'LN-AB' WHEN 2 THEN 'LN-AC' WHEN 3 THEN 'LN-BA' WHEN 4 THEN 'LN-BB' ELSE 'LN-CA' END, CASE i * 5 % 17 % 7 WHEN 0 THEN 'OSL' WHEN 1 THEN 'BGO' WHEN 2 THEN 'OSL' WHEN 3 THEN 'HAM' WHEN 4 THEN 'BER' WHEN 5 THEN 'GDN' ELSE 'RIX' END, CASE i * 3 % 11 % 5 WHEN 0 THEN 'CPH' WHEN 1 THEN 'BGO' WHEN 2 THEN 'CPH' WHEN 3 THEN 'HAM' ELSE 'RIX' END, datetime('2025-01-02 05:30', (i * 13 % 700) || ' days', (i * 83 % 960) || ' minutes'), CASE WHEN i % 29 = 7 THEN NULL ELSE datetime('2025-01-02 05:30', (i * 13 % 700) || ' days', (i * 83 % 960 + max(0, i * 19 % 97 - 40 + i % 17)) || ' minutes') END, CASE WHEN i % 29 = 7 THEN NULL ELSE max(0, i * 19 % 97 - 40 + i % 17) END, CASE WHEN i % 29 = 7 OR i * 19 % 97 + i % 17 <= 40 THEN NULL WHEN i % 4 = 0 THEN 'weather' WHEN i % 4 = 1 THEN 'technical' WHEN i % 4 = 2 THEN 'crew' ELSE 'air traffic' END, CASE WHEN i % 29 = 7 THEN 'X' WHEN i % 143 = 5 THEN 'D' ELSE 'F' END FROM n;
INSERT INTO passengers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, 'Pax ' || (3000 + i), CASE WHEN i % 9 < 5 THEN 'basic' WHEN i % 9 < 7 THEN 'silver' WHEN i % 9 = 7 THEN 'gold' ELSE NULL END, date('1944-05-01', (i * 337 % 26000) || ' days'), CASE i * 3 % 19 % 5 WHEN 0 THEN 'Norwegian' WHEN 1 THEN 'German' WHEN 2 THEN 'Danish' WHEN 3 THEN 'Polish' ELSE 'Norwegian' END FROM n;
INSERT INTO fct_booking WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6100) SELECT 500000 + i, 1 + (i * 41 + i * i % 71) % 871, 70001 + (i * i + i * 3) % 2381, datetime('2024-11-20 08:00', (i * 17 % 690) || ' days', (i * 53 % 840) || ' minutes'), CASE WHEN i % 12 = 5 THEN 'business' WHEN i % 12 < 4 THEN 'economy plus' ELSE 'economy' END, round(39 + i * 47 % 2203 / 7.0, 2), round(11 + i % 37 * 0.9, 2), CASE WHEN i % 21 = 4 THEN 1 ELSE 0 END, CASE WHEN i % 8 < 4 THEN 'website' WHEN i % 8 < 6 THEN 'app' WHEN i % 8 = 6 THEN 'agency' ELSE 'call centre' END FROM n;
INSERT INTO fct_baggage WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3900) SELECT i, 500001 + i * 3 % 5987, round(5 + i * 31 % 190 / 10.0, 1), CASE WHEN i % 113 = 9 THEN 1 ELSE 0 END FROM n;
