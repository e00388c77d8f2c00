-- A made-up mobile game. No comments.
CREATE TABLE players (
  player_id INTEGER PRIMARY KEY,
  nickname TEXT,
  country TEXT,
  platform TEXT,
  install_ts TIMESTAMP,
  level INTEGER,
  is_banned INTEGER,
  acquisition_channel TEXT
);
CREATE TABLE guilds (
  guild_id INTEGER PRIMARY KEY,
  guild_name TEXT,
  founded_on DATE,
  trophies INTEGER
);
CREATE TABLE guild_members (
  guild_id INTEGER REFERENCES guilds (guild_id),
  player_id INTEGER REFERENCES players (player_id),
  role TEXT,
  joined_on DATE
);
CREATE TABLE sessions (
  session_id INTEGER PRIMARY KEY,
  player_id INTEGER REFERENCES players (player_id),
  started_at TIMESTAMP,
  duration_sec INTEGER,
  app_version TEXT
);
CREATE TABLE matches (
  match_id INTEGER PRIMARY KEY,
  player_id INTEGER REFERENCES players (player_id),
  mode TEXT,
  result TEXT,
  score INTEGER,
  played_at TIMESTAMP
);
CREATE TABLE purchases (
  purchase_id INTEGER PRIMARY KEY,
  player_id INTEGER REFERENCES players (player_id),
  item_id INTEGER REFERENCES shop_items (item_id),
  quantity INTEGER,
  price_usd REAL,
  purchased_at TIMESTAMP,
  refunded_at TIMESTAMP
);
CREATE TABLE shop_items (
  item_id INTEGER PRIMARY KEY,
  item_name TEXT,
  item_type TEXT,
  list_price_usd REAL
);
INSERT INTO players WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT i, 'nick' || (7000 + i), CASE i * 7 % 29 % 6 WHEN 0 THEN 'Japan' WHEN 1 THEN 'Brazil' WHEN 2 THEN 'Germany' WHEN 3 THEN 'Japan' WHEN 4 THEN 'Korea' ELSE 'France' END, CASE WHEN i % 5 < 3 THEN 'android' ELSE 'ios' END, datetime('2025-06-01 03:00', (i * 37 % 530) || ' days', (i * 71 % 1000) || ' minutes'), 1 + i * 13 % 60, CASE WHEN i % 67 = 5 THEN 1 ELSE 0 END, CASE WHEN i % 8 < 3 THEN 'organic' WHEN i % 8 < 6 THEN 'video ads' ELSE 'influencer' END FROM n;
INSERT INTO guilds WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45) SELECT i, 'Guild ' || char(65 + i % 26) || i, date('2025-06-10', (i * 11 % 480) || ' days'), 200 + i * 137 % 4800 FROM n;
INSERT INTO guild_members WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 699) SELECT 1 + (i * i + i) % 41, 1 + i * 1, CASE WHEN i % 17 = 0 THEN 'leader' WHEN i % 17 < 4 THEN 'officer' ELSE 'member' END, date('2025-07-01', (i * 23 % 500) || ' days') FROM n;
INSERT INTO sessions WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i, 1 + (i * 41 + i * i % 83) % 1163, datetime('2025-06-02 00:00', (i * 19 % 536) || ' days', (i * 53 % 1430) || ' minutes'), 60 + i * 31 % 3200, CASE WHEN i * 19 % 536 < 250 THEN '1.8' WHEN i * 19 % 536 < 430 THEN '1.9' ELSE '2.0' END FROM n;
INSERT INTO matches WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) SELECT i, 1 + (i * 29 + i * i % 59) % 1151, CASE WHEN i % 10 < 5 THEN 'ranked' WHEN i % 10 < 8 THEN 'casual' ELSE 'tournament' END, CASE WHEN i * 7 % 20 < 9 THEN 'win' WHEN i * 7 % 20 < 18 THEN 'loss' ELSE 'draw' END, i * 17 % 1000, datetime('2025-06-03 01:00', (i * 23 % 535) || ' days', (i * 37 % 1400) || ' minutes') FROM n;
INSERT INTO shop_items VALUES (1, 'Gem Pack S', 'currency', 1.99), (2, 'Gem Pack L', 'currency', 19.99), (3, 'Dragon Skin', 'cosmetic', 9.99), (4, 'Battle Pass', 'subscription', 7.99), (5, 'Starter Bundle', 'bundle', 4.99), (6, 'Knight Skin', 'cosmetic', 5.99), (7, 'Banner', 'cosmetic', 0.99);
INSERT INTO purchases WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2600) SELECT i, 1 + (i * 61 + i * i % 47) % 977, 1 + i * 5 % 13 % 6, 1 + i % 3, CASE 1 + i * 5 % 13 % 6 WHEN 1 THEN 1.99 WHEN 2 THEN 19.99 WHEN 3 THEN 9.99 WHEN 4 THEN 7.99 WHEN 5 THEN 4.99 ELSE 5.99 END, datetime('2025-06-04 05:00', (i * 43 % 533) || ' days', (i * 17 % 1200) || ' minutes'), CASE WHEN i % 37 = 8 THEN datetime('2025-06-08 05:00', (i * 43 % 533) || ' days', (i * 17 % 1200) || ' minutes') END FROM n;
