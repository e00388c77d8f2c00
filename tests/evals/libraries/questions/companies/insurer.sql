-- A made-up insurer: agents, products, policy holders, policies, premium payments and claims. Two teams wrote the comments, in two languages.
CREATE TABLE agents ( -- Agents who sell policies
  agent_id INTEGER PRIMARY KEY,
  agent_name TEXT, -- Name of the agent
  branch TEXT, -- Branch office of the agent
  hired_on DATE -- Day on which the agent was hired
);
CREATE TABLE products ( -- Insurance products
  product_code TEXT PRIMARY KEY, -- Code of the product
  product_name TEXT, -- Name of the product
  line TEXT, -- Line of business
  base_premium REAL -- Premium per year before discounts, in EUR
);
CREATE TABLE holders ( -- 投保人
  holder_id INTEGER PRIMARY KEY, -- 客户号
  full_name TEXT, -- 姓名
  gender TEXT, -- 性别：M 男，F 女
  birth_date DATE, -- 出生日期
  city TEXT, -- 所在城市
  channel TEXT -- 来源渠道
);
CREATE TABLE policies ( -- 保单
  policy_no TEXT PRIMARY KEY, -- 保单号
  holder_id INTEGER REFERENCES holders (holder_id), -- 投保人
  product_code TEXT REFERENCES products (product_code), -- 产品
  agent_id INTEGER REFERENCES agents (agent_id), -- 代理人
  start_date DATE, -- 生效日期
  end_date DATE, -- 到期日期
  annual_premium REAL, -- 年保费（欧元）
  status TEXT -- 保单状态：A 有效，L 失效，C 退保
);
CREATE TABLE premium_payments ( -- Premium payments received
  payment_id INTEGER PRIMARY KEY,
  policy_no TEXT REFERENCES policies (policy_no), -- Policy that was paid for
  paid_on DATE, -- Day of the payment
  amount REAL, -- Premium received, in EUR
  method TEXT -- How it was paid
);
CREATE TABLE claims ( -- Claims filed by policy holders
  claim_id INTEGER PRIMARY KEY,
  policy_no TEXT REFERENCES policies (policy_no), -- Policy under which it was filed
  filed_at TIMESTAMP, -- When the claim was filed
  closed_at TIMESTAMP, -- When the claim was closed, empty while it is open
  kind TEXT, -- Kind of loss
  claimed REAL, -- Amount claimed, in EUR
  paid_out REAL, -- Amount paid out, in EUR, empty while it is open
  state TEXT -- State of the claim
);
INSERT INTO agents WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 22) SELECT i, CASE i % 11 WHEN 0 THEN 'Vera' WHEN 1 THEN 'Tomas' WHEN 2 THEN 'Li Na' WHEN 3 THEN 'Marta' WHEN 4 THEN 'Emil' WHEN 5 THEN 'Chen Bo' WHEN 6 THEN 'Ida' WHEN 7 THEN 'Pavel' WHEN 8 THEN 'Noor' WHEN 9 THEN 'Greta' ELSE 'Otto' END || ' ' || CASE WHEN i < 12 THEN 'A.' ELSE 'B.' END, CASE i % 5 WHEN 0 THEN 'Harbour' WHEN 1 THEN 'Old Town' WHEN 2 THEN 'North' WHEN 3 THEN 'Airport' ELSE 'Riverside' END, date('2016-02-01', (i * 211 % 3600) || ' days') FROM n;
INSERT INTO products VALUES ('MC', 'Motor Comfort', 'motor', 640), ('MB', 'Motor Basic', 'motor', 390), ('HH', 'Household', 'home', 210), ('BL', 'Building', 'home', 480), ('TR', 'Travel Plus', 'travel', 95), ('LB', 'Liability', 'liability', 120), ('PT', 'Pet Care', 'health', 330), ('DN', 'Dental', 'health', 270);
INSERT INTO holders WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 620) SELECT i, 'Holder ' || (1000 + i), CASE WHEN i * 7 % 13 < 6 THEN 'F' ELSE 'M' END, date('1941-03-02', (i * 331 % 23000) || ' days'), CASE i * 13 % 29 % 9 WHEN 0 THEN 'Rotterdam' WHEN 1 THEN 'Hamburg' WHEN 2 THEN 'Antwerp' WHEN 3 THEN 'Lyon' WHEN 4 THEN 'Turin' WHEN 5 THEN 'Lyon' WHEN 6 THEN 'Turin' WHEN 7 THEN 'Lyon' ELSE 'Hamburg' END, CASE WHEN i % 9 < 4 THEN 'online' WHEN i % 9 < 7 THEN 'agent' ELSE 'broker' END FROM n;
INSERT INTO policies WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 940) SELECT 'P' || (50000 + i), 1 + (i * 17 % 571), CASE i * 5 % 19 % 8 WHEN 0 THEN 'MC' WHEN 1 THEN 'MB' WHEN 2 THEN 'HH' WHEN 3 THEN 'BL' WHEN 4 THEN 'TR' WHEN 5 THEN 'LB' WHEN 6 THEN 'PT' ELSE 'DN' END, 1 + (i * i % 113 + i % 31) % 20, date('2023-01-05', (i * 29 % 1400) || ' days'), date('2024-01-05', (i * 29 % 1400) || ' days', CASE WHEN i % 4 = 0 THEN '24 months' ELSE '12 months' END), round(80 + i * 61 % 907 * 0.9, 2), CASE WHEN i % 13 = 4 THEN 'C' WHEN i % 7 = 2 THEN 'L' ELSE 'A' END FROM n;
INSERT INTO premium_payments WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4299) SELECT 300001 + i, 'P' || (50001 + i * 7 % 940), date('2024-01-03', (i * 37 % 1050) || ' days'), round(18 + i * 43 % 397 / 3.7 + CASE WHEN i * 37 % 1050 > 640 THEN 9 ELSE 0 END + i % 940 % 8, 2), CASE WHEN i % 10 < 5 THEN 'debit' WHEN i % 10 < 8 THEN 'card' ELSE 'transfer' END FROM n;
INSERT INTO claims WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 680) SELECT 9000 + i, 'P' || (50001 + i * i % 877), datetime('2024-02-01 07:00', (i * 53 % 1020) || ' days', (i * 97 % 800) || ' minutes'), CASE WHEN i % 8 = 3 THEN NULL ELSE datetime('2024-02-01 07:00', (i * 53 % 1020 + 4 + i * 11 % 40) || ' days', (i * 97 % 800) || ' minutes') END, CASE i * 3 % 7 WHEN 0 THEN 'water damage' WHEN 1 THEN 'theft' WHEN 2 THEN 'collision' WHEN 3 THEN 'fire' WHEN 4 THEN 'collision' WHEN 5 THEN 'illness' ELSE 'water damage' END, round(150 + i * 67 % 991 * 9.3, 2), CASE WHEN i % 8 = 3 THEN NULL WHEN i % 6 = 1 THEN 0 ELSE round((150 + i * 67 % 991 * 9.3) * (60 + i % 40) / 100, 2) END, CASE WHEN i % 8 = 3 THEN 'open' WHEN i % 6 = 1 THEN 'rejected' ELSE 'paid' END FROM n;
