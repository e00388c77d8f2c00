-- A made-up group of theatres.
CREATE TABLE venue ( -- Houses that we run
  venue_id INTEGER PRIMARY KEY,
  venue_name TEXT, -- Name of the house
  town TEXT, -- Town
  capacity INTEGER -- Seats
);
CREATE TABLE production ( -- Plays, operas and ballets that we stage
  production_id INTEGER PRIMARY KEY,
  title TEXT, -- Title
  genre TEXT, -- play, opera, ballet or musical
  premiere DATE, -- Day of the premiere
  budget REAL -- Budget in EUR
);
CREATE TABLE performance ( -- Single evenings or matinees
  performance_id INTEGER PRIMARY KEY,
  production_id INTEGER REFERENCES production (production_id), -- What is played
  venue_id INTEGER REFERENCES venue (venue_id), -- Where
  starts_at TIMESTAMP, -- Beginning
  is_cancelled INTEGER -- 1 if it did not take place
);
CREATE TABLE visitor ( -- Registered visitors
  visitor_id INTEGER PRIMARY KEY,
  name TEXT, -- Name
  postcode TEXT, -- Postcode
  birth_year INTEGER, -- Year of birth
  newsletter INTEGER, -- 1 if they get the newsletter
  member_since DATE -- Day on which they joined the friends of the theatre, empty for others
);
CREATE TABLE ticket ( -- Tickets sold
  ticket_id INTEGER PRIMARY KEY,
  performance_id INTEGER REFERENCES performance (performance_id), -- For which performance
  visitor_id INTEGER REFERENCES visitor (visitor_id), -- Who bought it, empty for the box office
  category TEXT, -- Price category A to D
  price REAL, -- Price paid in EUR
  sold_at TIMESTAMP, -- When it was sold
  sales_channel TEXT, -- Where it was sold
  scanned_at TIMESTAMP -- When it was scanned at the door, empty if nobody came
);
CREATE TABLE artist ( -- Actors, singers and dancers
  artist_id INTEGER PRIMARY KEY,
  name TEXT, -- Name
  discipline TEXT, -- actor, singer or dancer
  daily_fee REAL -- Fee per day in EUR
);
CREATE TABLE engagement ( -- Which artist is in which production
  production_id INTEGER REFERENCES production (production_id), -- Production
  artist_id INTEGER REFERENCES artist (artist_id), -- Artist
  part TEXT, -- lead, supporting or chorus
  PRIMARY KEY (production_id, artist_id)
);
INSERT INTO venue VALUES (1, 'Grand House', 'Leeds', 820), (2, 'Old Mill', 'York', 240), (3, 'Harbour Stage', 'Hull', 410), (4, 'Studio Nine', 'Leeds', 120);
INSERT INTO production WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 26) SELECT i, 'Production ' || char(64 + i), CASE i % 5 WHEN 0 THEN 'opera' WHEN 1 THEN 'play' WHEN 2 THEN 'ballet' WHEN 3 THEN 'play' ELSE 'musical' END, date('2023-09-15', (i * 47 % 1150) || ' days'), 40000 + i * 7919 % 210000 FROM n;
INSERT INTO performance WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 640) SELECT i, 1 + i * i % 25, 1 + i * 5 % 7 % 4, datetime('2024-01-10 19:30', (i * 29 % 1100) || ' days', CASE WHEN i % 6 = 0 THEN '-270 minutes' ELSE '0 minutes' END), CASE WHEN i % 41 = 7 THEN 1 ELSE 0 END FROM n;
INSERT INTO visitor WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800) SELECT i, 'Visitor ' || (5000 + i), 'LS' || (1 + i * 7 % 23), 1940 + i * 31 % 66, CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END, CASE WHEN i % 5 = 2 THEN date('2018-03-01', (i * 173 % 3000) || ' days') END FROM n;
INSERT INTO ticket WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14000) SELECT i, 1 + (i * i + i * 7) % 631, CASE WHEN i % 7 = 3 THEN NULL ELSE 1 + (i * 53 + i * i % 67) % 761 END, CASE i % 9 % 4 WHEN 0 THEN 'B' WHEN 1 THEN 'C' WHEN 2 THEN 'A' ELSE 'D' END, round(12 + i * 37 % 701 / 9.0, 2), datetime('2023-11-20 10:00', (i * 17 % 1090) || ' days', (i * 43 % 660) || ' minutes'), CASE WHEN i % 7 = 3 THEN 'box office' WHEN i % 10 < 6 THEN 'web shop' WHEN i % 10 < 8 THEN 'phone' ELSE 'partner' END, CASE WHEN i % 13 = 5 THEN NULL ELSE datetime('2023-12-20 19:00', (i * 17 % 1060) || ' days') END FROM n;
INSERT INTO artist WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) SELECT i, 'Artist ' || (100 + i), CASE i % 4 WHEN 0 THEN 'singer' WHEN 1 THEN 'actor' WHEN 2 THEN 'dancer' ELSE 'actor' END, 140 + i * 67 % 500 FROM n;
INSERT INTO engagement WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 249) SELECT 1 + i % 25, 1 + (i * 7 + i / 25) % 84, CASE WHEN i % 9 = 0 THEN 'lead' WHEN i % 9 < 4 THEN 'supporting' ELSE 'chorus' END FROM n WHERE true ON CONFLICT DO NOTHING;
