-- A made-up public library with German-like short names and Chinese comments on some tables.
CREATE TABLE branch ( -- 分馆
  branch_id INTEGER PRIMARY KEY, -- 分馆编号
  branch_name TEXT, -- 分馆名称
  district TEXT, -- 所在城区
  seats INTEGER -- 阅览座位数
);
CREATE TABLE book (
  isbn TEXT PRIMARY KEY,
  title TEXT,
  author_name TEXT,
  genre TEXT,
  pages INTEGER,
  pub_year INTEGER,
  language TEXT
);
CREATE TABLE copy (
  copy_id INTEGER PRIMARY KEY,
  isbn TEXT REFERENCES book (isbn),
  branch_id INTEGER REFERENCES branch (branch_id),
  acquired_on DATE,
  condition TEXT,
  purchase_price REAL
);
CREATE TABLE reader ( -- 读者
  reader_id INTEGER PRIMARY KEY, -- 读者编号
  first_name TEXT, -- 名
  last_name TEXT, -- 姓
  card_type TEXT, -- 借书证类型：adult 成人，child 儿童，senior 老年
  registered_at TIMESTAMP, -- 办证时间
  birthday DATE -- 生日
);
CREATE TABLE loan (
  loan_id INTEGER PRIMARY KEY,
  copy_id INTEGER REFERENCES copy (copy_id),
  reader_id INTEGER REFERENCES reader (reader_id),
  borrowed_on DATE,
  due_on DATE,
  returned_on DATE,
  renewals INTEGER
);
CREATE TABLE fine (
  fine_id INTEGER PRIMARY KEY,
  loan_id INTEGER REFERENCES loan (loan_id),
  amount REAL,
  reason TEXT,
  is_paid BOOLEAN,
  issued_on DATE
);
INSERT INTO branch VALUES (1, 'Central', 'Mitte', 420), (2, 'Riverside', 'Ost', 130), (3, 'Hillside', 'Nord', 90), (4, 'Station', 'Mitte', 60);
INSERT INTO book WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) SELECT '978-' || (1000 + i), 'Title ' || i, 'Author ' || (i * 7 % 23), CASE i * 3 % 7 WHEN 0 THEN 'novel' WHEN 1 THEN 'crime' WHEN 2 THEN 'biography' WHEN 3 THEN 'novel' WHEN 4 THEN 'poetry' WHEN 5 THEN 'science' ELSE 'crime' END, 80 + i * 53 % 700, 1960 + i * 11 % 66, CASE i % 5 WHEN 0 THEN 'French' WHEN 1 THEN 'German' ELSE 'English' END FROM n;
INSERT INTO copy WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i, '978-' || (1001 + i * i % 67), 1 + i * 5 % 4, date('2015-01-01', (i * 97 % 4200) || ' days'), CASE i % 6 WHEN 0 THEN 'damaged' WHEN 1 THEN 'new' ELSE 'good' END, 8 + i * 7 % 40 FROM n;
INSERT INTO reader WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) SELECT i, 'First' || (i % 31), 'Last' || i, CASE i * 3 % 8 WHEN 0 THEN 'child' WHEN 1 THEN 'senior' WHEN 2 THEN 'child' ELSE 'adult' END, datetime('2022-03-01 10:00', (i * 59 % 1700) || ' days'), date('1945-01-01', (i * 331 % 26000) || ' days') FROM n;
INSERT INTO loan WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) SELECT i, 1 + i * i % 193, 1 + CASE WHEN i % 7 < 4 THEN i % 11 * (i % 5) ELSE i % 83 END, date('2025-01-03', (i * 23 % 685) || ' days'), date('2025-01-03', (i * 23 % 685 + 28) || ' days'), CASE WHEN i % 8 = 0 THEN NULL ELSE date('2025-01-03', (i * 23 % 685 + i % 40) || ' days') END, i % 4 FROM n;
INSERT INTO fine WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110) SELECT i, 1 + i * 5 % 597, 0.5 + i * 3 % 25, CASE i % 3 WHEN 0 THEN 'lost' WHEN 1 THEN 'late' ELSE 'late' END, i % 4 > 0, date('2025-02-01', (i * 37 % 650) || ' days') FROM n;
