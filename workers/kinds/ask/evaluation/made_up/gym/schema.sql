-- A made-up chain of fitness studios. Few comments.
CREATE TABLE studio ( -- Fitness studios
  id INTEGER PRIMARY KEY,
  name TEXT,
  city TEXT,
  opened_on DATE,
  monthly_rent REAL
);
CREATE TABLE member ( -- People with a membership
  id INTEGER PRIMARY KEY,
  first_name TEXT,
  last_name TEXT,
  gender TEXT, -- f or m
  birth_year INTEGER,
  joined_on DATE,
  home_studio_id INTEGER REFERENCES studio (id),
  plan TEXT, -- basic, plus or unlimited
  left_on DATE -- Day on which the membership ended, empty for active members
);
CREATE TABLE trainer (
  id INTEGER PRIMARY KEY,
  name TEXT,
  studio_id INTEGER REFERENCES studio (id),
  speciality TEXT,
  hourly_wage REAL
);
CREATE TABLE class_session ( -- Classes on the timetable
  id INTEGER PRIMARY KEY,
  studio_id INTEGER REFERENCES studio (id),
  trainer_id INTEGER REFERENCES trainer (id),
  class_type TEXT,
  starts_at TIMESTAMP,
  capacity INTEGER
);
CREATE TABLE reservation ( -- Places that members reserve in classes
  id INTEGER PRIMARY KEY,
  class_session_id INTEGER REFERENCES class_session (id),
  member_id INTEGER REFERENCES member (id),
  reserved_at TIMESTAMP,
  state TEXT
);
CREATE TABLE payment (
  id INTEGER PRIMARY KEY,
  member_id INTEGER REFERENCES member (id),
  paid_at TIMESTAMP,
  amount REAL, -- In euros
  method TEXT,
  purpose TEXT
);
CREATE TABLE equipment ( -- Machines in the studios
  id INTEGER PRIMARY KEY,
  studio_id INTEGER REFERENCES studio (id),
  kind TEXT,
  bought_on DATE,
  price REAL,
  broken_since DATE
);
INSERT INTO studio VALUES (1, 'Riverside', 'Leeds', '2015-03-01', 8200), (2, 'Old Brewery', 'Leeds', '2019-09-15', 6400), (3, 'Canal Street', 'Bristol', '2017-01-20', 7100), (4, 'Skyline', 'Cardiff', '2021-05-05', 9900), (5, 'Dockyard', 'Bristol', '2023-10-02', 5600);
INSERT INTO member WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240) SELECT i, CASE i % 6 WHEN 0 THEN 'Alice' WHEN 1 THEN 'Ben' WHEN 2 THEN 'Chloe' WHEN 3 THEN 'Dev' WHEN 4 THEN 'Erin' ELSE 'Femi' END, 'Name' || i,
  CASE WHEN i * 7 % 12 < 7 THEN 'f' ELSE 'm' END, 1955 + i * 13 % 50, date('2023-01-05', (i * 37 % 1380) || ' days'), 1 + i * i % 5, CASE i * 5 % 9 WHEN 0 THEN 'unlimited' WHEN 1 THEN 'unlimited' WHEN 2 THEN 'plus' WHEN 3 THEN 'plus' WHEN 4 THEN 'plus' ELSE 'basic' END,
  CASE WHEN i % 7 = 0 THEN date('2026-08-01', (i % 60) || ' days') ELSE NULL END FROM n;
INSERT INTO trainer WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 18) SELECT i, 'Trainer ' || i, 1 + i * 3 % 5, CASE i % 4 WHEN 0 THEN 'yoga' WHEN 1 THEN 'boxing' WHEN 2 THEN 'spinning' ELSE 'pilates' END, 18 + i * 7 % 19 FROM n;
INSERT INTO class_session WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 420) SELECT i, 1 + i * 3 % 5, 1 + i * 11 % 18, CASE i * 7 % 10 WHEN 0 THEN 'yoga' WHEN 1 THEN 'yoga' WHEN 2 THEN 'boxing' WHEN 3 THEN 'spinning' WHEN 4 THEN 'spinning' WHEN 5 THEN 'spinning' WHEN 6 THEN 'pilates' ELSE 'hiit' END,
  datetime('2025-01-06 07:00', (i * 41 % 660) || ' days', (i % 13) || ' hours'), 8 + i * 5 % 23 FROM n;
INSERT INTO reservation WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2600) SELECT i, 1 + i * 17 % 420, 1 + i * i % 233, datetime('2025-01-03 10:00', (i * 29 % 660) || ' days'), CASE i * 13 % 11 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'cancelled' WHEN 2 THEN 'missed' ELSE 'attended' END FROM n;
INSERT INTO payment WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1900) SELECT i, 1 + i * 31 % 240, datetime('2025-01-01 08:00', (i * 19 % 665) || ' days', (i % 14) || ' hours'), round(9.5 + i * 23 % 71 + (i % 4) * 2.25, 2), CASE i % 6 WHEN 0 THEN 'cash' WHEN 1 THEN 'transfer' WHEN 2 THEN 'transfer' ELSE 'card' END, CASE i * 3 % 8 WHEN 0 THEN 'shop' WHEN 1 THEN 'class pass' ELSE 'membership' END FROM n;
INSERT INTO equipment WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) SELECT i, 1 + i * 7 % 5, CASE i % 5 WHEN 0 THEN 'treadmill' WHEN 1 THEN 'rowing machine' WHEN 2 THEN 'exercise bike' WHEN 3 THEN 'treadmill' ELSE 'weight bench' END, date('2018-02-01', (i * 97 % 2900) || ' days'), 300 + i * 53 % 2700, CASE WHEN i % 8 = 0 THEN date('2026-09-01', (i % 40) || ' days') ELSE NULL END FROM n;
