-- A made-up maker of bicycles. Comments only where somebody thought of them.
CREATE TABLE product (
  sku TEXT PRIMARY KEY, -- Article number
  model_name TEXT,
  product_line TEXT, -- road, mountain, city or kids
  list_price REAL,
  production_cost REAL,
  weight_kg REAL,
  launched DATE
);
CREATE TABLE dealer ( -- Shops that sell our bicycles
  dealer_code TEXT PRIMARY KEY,
  dealer_name TEXT,
  region TEXT,
  country TEXT,
  credit_limit REAL,
  contract_since DATE
);
CREATE TABLE sales_order (
  order_no INTEGER PRIMARY KEY,
  dealer_code TEXT REFERENCES dealer (dealer_code),
  order_date DATE,
  promised_date DATE,
  shipped_date DATE,
  order_status TEXT,
  discount_pct REAL
);
CREATE TABLE sales_order_item (
  order_no INTEGER REFERENCES sales_order (order_no),
  line_no INTEGER,
  sku TEXT REFERENCES product (sku),
  qty INTEGER,
  unit_price REAL,
  PRIMARY KEY (order_no, line_no)
);
CREATE TABLE machine (
  machine_id INTEGER PRIMARY KEY,
  machine_name TEXT,
  hall TEXT,
  manufacturer TEXT,
  installed_on DATE,
  in_operation BOOLEAN
);
CREATE TABLE downtime ( -- Times at which a machine stood still
  downtime_id INTEGER PRIMARY KEY,
  machine_id INTEGER REFERENCES machine (machine_id),
  cause TEXT,
  started_at TIMESTAMP,
  minutes INTEGER,
  repair_cost REAL
);
CREATE TABLE defect (
  defect_id INTEGER PRIMARY KEY,
  sku TEXT REFERENCES product (sku),
  severity TEXT,
  found_on DATE,
  fixed_on DATE
);
INSERT INTO product VALUES ('R100', 'Falcon', 'road', 1290, 640, 8.4, '2021-03-01'), ('R200', 'Peregrine', 'road', 2890, 1380, 7.1, '2023-02-15'), ('M100', 'Ibex', 'mountain', 1590, 800, 12.6, '2020-05-01'), ('M300', 'Chamois', 'mountain', 3490, 1700, 11.2, '2025-04-10'),
  ('C100', 'Heron', 'city', 690, 330, 14.8, '2019-09-01'), ('C200', 'Stork', 'city', 890, 420, 15.3, '2022-06-20'), ('K100', 'Wren', 'kids', 290, 130, 7.9, '2021-10-05'), ('K200', 'Robin', 'kids', 340, 165, 8.8, '2026-03-03');
INSERT INTO dealer WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT 'D' || (100 + i), 'Dealer ' || i, CASE i % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'west' ELSE 'north' END, CASE i * 5 % 6 WHEN 0 THEN 'Italy' WHEN 1 THEN 'Japan' WHEN 2 THEN 'Germany' WHEN 3 THEN 'France' ELSE 'Germany' END, 10000 + i * 3700 % 60000, date('2012-01-01', (i * 157 % 4800) || ' days') FROM n;
INSERT INTO sales_order WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 420) SELECT 5000 + i, 'D' || (101 + i * i % 27), date('2025-01-02', (i * 37 % 685) || ' days'), date('2025-01-02', (i * 37 % 685 + 14) || ' days'), NULL, CASE i * 7 % 12 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'open' WHEN 2 THEN 'returned' ELSE 'shipped' END, CASE i % 6 WHEN 0 THEN 5 WHEN 1 THEN 10 ELSE 0 END FROM n;
UPDATE sales_order SET shipped_date = date(order_date, (3 + order_no % 20) || ' days') WHERE order_status IN ('shipped', 'returned');
INSERT INTO sales_order_item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 840) SELECT 5001 + i % 420, 1 + i / 420, substr('C100C200K100K200M100M300R100', 1 + 4 * (i * 11 % 7), 4), 1 + i * 13 % 9, 100 + i * 211 % 1900 FROM n;
INSERT INTO machine WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14) SELECT i, 'Machine ' || i, CASE i % 3 WHEN 0 THEN 'A' WHEN 1 THEN 'B' ELSE 'B' END, CASE i % 4 WHEN 0 THEN 'Weldtec' WHEN 1 THEN 'Formag' WHEN 2 THEN 'Weldtec' ELSE 'Kuroda' END, date('2014-02-01', (i * 301 % 4000) || ' days'), i % 5 > 0 FROM n;
INSERT INTO downtime WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 190) SELECT i, 1 + i * i % 13, CASE i % 5 WHEN 0 THEN 'power failure' WHEN 1 THEN 'tool wear' WHEN 2 THEN 'operator error' ELSE 'tool wear' END, datetime('2025-01-05 07:00', (i * 29 % 680) || ' days'), 10 + i * 43 % 400, i * 71 % 900 FROM n;
INSERT INTO defect WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130) SELECT i, substr('C100C200K100K200M100M300R100R200', 1 + 4 * (i * i % 8), 4), CASE i % 4 WHEN 0 THEN 'critical' WHEN 1 THEN 'minor' ELSE 'major' END, date('2025-02-01', (i * 17 % 650) || ' days'), CASE WHEN i % 3 = 0 THEN NULL ELSE date('2025-02-01', (i * 17 % 650 + i % 30) || ' days') END FROM n;
