-- A made-up group of museums.
CREATE TABLE museums (
  museum_id INTEGER PRIMARY KEY,
  museum_name TEXT,
  town TEXT,
  floor_area_sqm INTEGER,
  founded_year INTEGER
);
CREATE TABLE exhibitions ( -- Temporary exhibitions
  exhibition_id INTEGER PRIMARY KEY,
  museum_id INTEGER REFERENCES museums (museum_id),
  title TEXT,
  theme TEXT,
  opening_date DATE,
  closing_date DATE,
  budget REAL -- In euros
);
CREATE TABLE visitors (
  visitor_id INTEGER PRIMARY KEY,
  home_country TEXT,
  age_group TEXT,
  newsletter BOOLEAN, -- Whether the visitor reads the newsletter
  first_visit DATE
);
CREATE TABLE tickets ( -- Tickets that were sold
  ticket_id INTEGER PRIMARY KEY,
  exhibition_id INTEGER REFERENCES exhibitions (exhibition_id),
  visitor_id INTEGER REFERENCES visitors (visitor_id),
  sold_at TIMESTAMP,
  price REAL, -- In euros
  ticket_type TEXT,
  sales_channel TEXT
);
CREATE TABLE guides (
  guide_id INTEGER PRIMARY KEY,
  guide_name TEXT,
  language TEXT,
  hired_on DATE
);
CREATE TABLE tours ( -- Guided tours
  tour_id INTEGER PRIMARY KEY,
  guide_id INTEGER REFERENCES guides (guide_id),
  exhibition_id INTEGER REFERENCES exhibitions (exhibition_id),
  started_at TIMESTAMP,
  participants INTEGER,
  rating INTEGER -- From 1 to 5, given by the group
);
CREATE TABLE donations (
  donation_id INTEGER PRIMARY KEY,
  museum_id INTEGER REFERENCES museums (museum_id),
  donor TEXT,
  donated_on DATE,
  amount REAL -- In euros
);
INSERT INTO museums VALUES (1, 'Museum of Glass', 'Ghent', 3200, 1921), (2, 'Harbour Museum', 'Antwerp', 5400, 1968), (3, 'House of Printing', 'Antwerp', 1800, 1954), (4, 'Railway Hall', 'Liege', 7600, 1989);
INSERT INTO exhibitions WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24) SELECT i, 1 + i * 3 % 4, 'Exhibition ' || i, CASE i * 5 % 6 WHEN 0 THEN 'design' WHEN 1 THEN 'history' WHEN 2 THEN 'history' WHEN 3 THEN 'technology' ELSE 'art' END, date('2024-11-01', (i * 31 % 720) || ' days'), date('2025-01-15', (i * 31 % 720) || ' days'), 20000 + i * 7919 % 90000 FROM n;
INSERT INTO visitors WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i, CASE i * 7 % 9 WHEN 0 THEN 'France' WHEN 1 THEN 'Germany' WHEN 2 THEN 'Netherlands' WHEN 3 THEN 'Netherlands' ELSE 'Belgium' END, CASE i % 4 WHEN 0 THEN 'child' WHEN 1 THEN 'adult' WHEN 2 THEN 'adult' ELSE 'senior' END, i % 3 = 0, date('2024-01-10', (i * 13 % 900) || ' days') FROM n;
INSERT INTO tickets WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2800) SELECT i, 1 + i * i % 23, 1 + i * 11 % 300, datetime('2025-01-02 10:00', (i * 17 % 675) || ' days', (i % 8) || ' hours'), 6 + i * 7 % 13, CASE i % 5 WHEN 0 THEN 'reduced' WHEN 1 THEN 'family' ELSE 'full' END, CASE i * 3 % 7 WHEN 0 THEN 'desk' WHEN 1 THEN 'desk' WHEN 2 THEN 'partner' ELSE 'online' END FROM n;
INSERT INTO guides WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT i, 'Guide ' || i, CASE i % 4 WHEN 0 THEN 'French' WHEN 1 THEN 'Dutch' WHEN 2 THEN 'Dutch' ELSE 'English' END, date('2019-03-01', (i * 211 % 2300) || ' days') FROM n;
INSERT INTO tours WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 520) SELECT i, 1 + i * i % 11, 1 + i * 7 % 24, datetime('2025-01-04 11:00', (i * 23 % 670) || ' days'), 4 + i * 5 % 22, 1 + i * 3 % 5 FROM n;
INSERT INTO donations WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140) SELECT i, 1 + i * i % 3, 'Donor ' || (1 + i * 7 % 60), date('2025-01-03', (i * 19 % 680) || ' days'), 50 + i * 37 % 2000 FROM n;
