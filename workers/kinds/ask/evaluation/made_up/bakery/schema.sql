-- A made-up chain of bakeries.
CREATE TABLE branch ( -- Branches that sell bread
  branch_id INTEGER PRIMARY KEY,
  branch_name TEXT,
  quarter TEXT, -- Part of the town
  opened DATE,
  seats INTEGER
);
CREATE TABLE product (
  product_id INTEGER PRIMARY KEY,
  product_name TEXT,
  kind TEXT,
  list_price REAL, -- In euros
  is_vegan BOOLEAN
);
CREATE TABLE sale ( -- Lines of receipts
  sale_id INTEGER PRIMARY KEY,
  branch_id INTEGER REFERENCES branch (branch_id),
  product_id INTEGER REFERENCES product (product_id),
  sold_at TIMESTAMP,
  pieces INTEGER,
  total_price REAL, -- In euros
  payment TEXT
);
CREATE TABLE employee (
  employee_id INTEGER PRIMARY KEY,
  branch_id INTEGER REFERENCES branch (branch_id),
  full_name TEXT,
  position TEXT,
  hired_on DATE,
  left_on DATE -- Empty while employed
);
CREATE TABLE complaint ( -- Complaints of customers
  complaint_id INTEGER PRIMARY KEY,
  branch_id INTEGER REFERENCES branch (branch_id),
  received_on DATE,
  topic TEXT,
  resolved_on DATE
);
INSERT INTO branch VALUES (1, 'Corner Oven', 'Old Town', '2012-04-01', 20), (2, 'Station Bakery', 'Station', '2016-08-15', 8), (3, 'Riverbank', 'Old Town', '2019-02-10', 34), (4, 'Campus', 'University', '2022-10-01', 52);
INSERT INTO product WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 26) SELECT i, 'Item ' || i, CASE i % 5 WHEN 0 THEN 'cake' WHEN 1 THEN 'bread' WHEN 2 THEN 'roll' WHEN 3 THEN 'drink' ELSE 'roll' END, 1.2 + i * 7 % 9, i % 3 = 1 FROM n;
INSERT INTO sale WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT i, 1 + i * i % 4 + (i % 7 = 0), 1 + i * 11 % 26, datetime('2025-01-02 06:30', (i * 13 % 670) || ' days', (i % 11) || ' hours'), 1 + i % 6, round((1 + i % 6) * (1.2 + (1 + i * 11 % 26) * 7 % 9), 2), CASE i % 4 WHEN 0 THEN 'cash' WHEN 1 THEN 'phone' ELSE 'card' END FROM n;
INSERT INTO employee WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT i, 1 + i * 3 % 4, 'Person ' || i, CASE i % 4 WHEN 0 THEN 'baker' WHEN 1 THEN 'seller' WHEN 2 THEN 'seller' ELSE 'trainee' END, date('2018-01-15', (i * 71 % 2800) || ' days'), CASE WHEN i % 6 = 0 THEN date('2026-03-01', (i * 5) || ' days') END FROM n;
INSERT INTO complaint WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130) SELECT i, 1 + i * i % 3 + (i % 9 = 0), date('2025-01-05', (i * 17 % 660) || ' days'), CASE i % 4 WHEN 0 THEN 'waiting time' WHEN 1 THEN 'freshness' WHEN 2 THEN 'freshness' ELSE 'price' END, CASE WHEN i % 5 = 0 THEN NULL ELSE date('2025-01-09', (i * 17 % 660) || ' days') END FROM n;
