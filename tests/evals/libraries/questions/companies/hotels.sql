-- A made-up chain of hotels. Names are abbreviated as in many old systems; few comments.
CREATE TABLE hotel ( -- Hotels of the chain
  hotel_id INTEGER PRIMARY KEY,
  hotel_nm TEXT,
  city TEXT,
  cntry TEXT, -- ISO code of the country
  stars INTEGER, -- Number of stars, 2 to 5
  opened_dt DATE
);
CREATE TABLE room_type (
  room_type_id INTEGER PRIMARY KEY,
  hotel_id INTEGER REFERENCES hotel (hotel_id),
  category TEXT,
  nightly_rate REAL, -- List price of a night in euros
  num_rooms INTEGER, -- Number of rooms of this type
  has_balcony BOOLEAN
);
CREATE TABLE guest (
  guest_id INTEGER PRIMARY KEY,
  full_nm TEXT,
  email TEXT,
  nationality TEXT,
  loyalty_lvl TEXT, -- none, silver, gold or platinum
  joined_dt DATE
);
CREATE TABLE booking ( -- Bookings of rooms by guests
  booking_id INTEGER PRIMARY KEY,
  guest_id INTEGER REFERENCES guest (guest_id),
  room_type_id INTEGER REFERENCES room_type (room_type_id),
  booked_at TIMESTAMP,
  check_in DATE,
  nights INTEGER,
  total_amt REAL, -- Price of the stay in euros
  channel TEXT,
  booking_status TEXT
);
CREATE TABLE review (
  review_id INTEGER PRIMARY KEY,
  booking_id INTEGER REFERENCES booking (booking_id),
  score INTEGER, -- From 1 to 10
  comment TEXT,
  submitted_at TIMESTAMP
);
CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY,
  hotel_id INTEGER REFERENCES hotel (hotel_id),
  full_nm TEXT,
  job_title TEXT,
  monthly_salary REAL,
  hire_dt DATE,
  leave_dt DATE
);
INSERT INTO hotel VALUES (1, 'Harbour View', 'Hamburg', 'DE', 4, '1998-05-01'), (2, 'Alpenblick', 'Munich', 'DE', 5, '2005-11-15'), (3, 'Le Jardin', 'Paris', 'FR', 4, '2012-03-20'), (4, 'Casa del Mar', 'Barcelona', 'ES', 3, '2018-06-01'),
  (5, 'Old Mill', 'Lyon', 'FR', 3, '2001-09-09'), (6, 'Prater Lodge', 'Vienna', 'AT', 4, '2021-04-12'), (7, 'Costa Azul', 'Valencia', 'ES', 5, '2024-02-02');
INSERT INTO room_type WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21) SELECT i, 1 + i % 7, CASE i % 3 WHEN 0 THEN 'single' WHEN 1 THEN 'double' ELSE 'suite' END, 60 + i * 37 % 260, 4 + i * 5 % 30, i % 4 = 0 FROM n;
INSERT INTO guest WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i, 'Guest ' || i, CASE WHEN i % 11 = 0 THEN NULL ELSE 'guest' || i || '@mail.test' END, CASE i * 7 % 6 WHEN 0 THEN 'German' WHEN 1 THEN 'French' WHEN 2 THEN 'Chinese' WHEN 3 THEN 'British' ELSE 'German' END,
  CASE i * 3 % 8 WHEN 0 THEN 'platinum' WHEN 1 THEN 'gold' WHEN 2 THEN 'silver' WHEN 3 THEN 'silver' ELSE 'none' END, date('2022-01-10', (i * 83 % 1750) || ' days') FROM n;
INSERT INTO booking WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800) SELECT i, 1 + i * i % 139, 1 + i * 17 % 21, datetime('2025-01-02 12:00', (i * 23 % 680) || ' days'), date('2025-01-02', (i * 23 % 680 + i % 50) || ' days'), 1 + i % 7, round((1 + i % 7) * (55 + i * 31 % 240) * 1.0, 2),
  CASE i % 5 WHEN 0 THEN 'website' WHEN 1 THEN 'phone' WHEN 2 THEN 'agency' ELSE 'website' END, CASE i * 11 % 16 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'no-show' WHEN 2 THEN 'cancelled' WHEN 3 THEN 'pending' ELSE 'confirmed' END FROM n;
INSERT INTO review WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240) SELECT i, 1 + i * 3, 1 + i * 7 % 10, CASE WHEN i % 3 = 0 THEN NULL ELSE 'Comment ' || i END, datetime('2025-02-01 09:00', (i * 13 % 640) || ' days') FROM n;
INSERT INTO staff WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i, 1 + i * 5 % 7, 'Employee ' || i, CASE i % 5 WHEN 0 THEN 'receptionist' WHEN 1 THEN 'cook' WHEN 2 THEN 'cleaner' WHEN 3 THEN 'manager' ELSE 'cook' END, 1900 + i * 67 % 2300, date('2015-03-01', (i * 131 % 4200) || ' days'), NULL FROM n;
UPDATE staff SET leave_dt = date(hire_dt, (200 + staff_id * 13) || ' days') WHERE staff_id % 6 = 0;
