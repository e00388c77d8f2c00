-- A made-up IT help desk of a company: staff, devices, software licences, tickets, their messages and surveys.
CREATE TABLE employees ( -- Everybody who works here
  employee_no TEXT PRIMARY KEY, -- Staff number
  given_name TEXT, -- Given name
  family_name TEXT, -- Family name
  department TEXT, -- Department
  office TEXT, -- Office location
  start_date DATE, -- First working day
  manager_no TEXT -- Staff number of the manager
);
CREATE TABLE devices ( -- Computers, phones and printers
  asset_tag TEXT PRIMARY KEY, -- Asset tag on the device
  device_type TEXT, -- laptop, desktop, phone or printer
  vendor TEXT, -- Who made it
  employee_no TEXT REFERENCES employees (employee_no), -- Who uses it, empty if in stock
  bought_on DATE, -- Purchase date
  price_eur REAL, -- Purchase price in EUR
  warranty_until DATE -- End of the warranty
);
CREATE TABLE agents ( -- Staff of the help desk
  agent_id INTEGER PRIMARY KEY,
  agent_name TEXT, -- Name
  tier INTEGER, -- Support tier, 1 to 3
  shift TEXT -- Shift: early, late or night
);
CREATE TABLE tickets ( -- Requests and incidents reported by employees
  ticket_id INTEGER PRIMARY KEY,
  employee_no TEXT REFERENCES employees (employee_no), -- Who reported it
  asset_tag TEXT REFERENCES devices (asset_tag), -- Device concerned, may be empty
  assigned_to INTEGER REFERENCES agents (agent_id), -- Agent in charge
  category TEXT, -- What it is about
  priority TEXT, -- low, medium, high or critical
  status TEXT, -- new, in progress, waiting, solved or closed
  channel TEXT, -- How it came in
  created_at TIMESTAMP, -- When it was reported
  first_response_at TIMESTAMP, -- When an agent first answered
  solved_at TIMESTAMP, -- When it was solved, empty before
  reopened INTEGER -- 1 if it was opened again after it had been solved
);
CREATE TABLE ticket_messages ( -- Messages written on tickets
  message_id INTEGER PRIMARY KEY,
  ticket_id INTEGER REFERENCES tickets (ticket_id), -- Ticket
  author_type TEXT, -- employee or agent
  sent_at TIMESTAMP, -- When it was sent
  word_count INTEGER -- Number of words
);
CREATE TABLE surveys ( -- Satisfaction surveys answered after a ticket was solved
  survey_id INTEGER PRIMARY KEY,
  ticket_id INTEGER REFERENCES tickets (ticket_id), -- Ticket it is about
  answered_at TIMESTAMP, -- When it was answered
  satisfaction INTEGER -- 1 very bad to 5 very good
);
INSERT INTO employees WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT 'E' || (1000 + i), 'Given' || i, 'Family' || (i * 7 % 211), CASE i * 5 % 13 % 6 WHEN 0 THEN 'Finance' WHEN 1 THEN 'Sales' WHEN 2 THEN 'Engineering' WHEN 3 THEN 'Legal' WHEN 4 THEN 'Engineering' ELSE 'Marketing' END, CASE i * 3 % 10 % 4 WHEN 0 THEN 'Lisbon' WHEN 1 THEN 'Dublin' WHEN 2 THEN 'Prague' ELSE 'Dublin' END, date('2014-02-01', (i * 151 % 4600) || ' days'), CASE WHEN i < 9 THEN NULL ELSE 'E' || (1001 + i % 8) END FROM n;
INSERT INTO devices WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 460) SELECT 'A-' || (20000 + i), CASE WHEN i % 9 < 5 THEN 'laptop' WHEN i % 9 < 6 THEN 'desktop' WHEN i % 9 < 8 THEN 'phone' ELSE 'printer' END, CASE i * 7 % 11 % 4 WHEN 0 THEN 'Lenovo' WHEN 1 THEN 'Apple' WHEN 2 THEN 'HP' ELSE 'Dell' END, CASE WHEN i % 10 = 6 THEN NULL ELSE 'E' || (1001 + i * 17 % 131) END, date('2020-03-01', (i * 47 % 2400) || ' days'), round(240 + i * 37 % 1900 * 0.9, 2), date('2023-03-01', (i * 47 % 2400) || ' days') FROM n;
INSERT INTO agents VALUES (1, 'Ines Prado', 1, 'early'), (2, 'Sean Doyle', 1, 'late'), (3, 'Katka Nova', 2, 'early'), (4, 'Bruno Reis', 2, 'late'), (5, 'Aoife Byrne', 3, 'early'), (6, 'Milan Kral', 1, 'night'), (7, 'Rita Costa', 2, 'night'), (8, 'Jan Vesely', 1, 'late');
INSERT INTO tickets WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3100) SELECT i, 'E' || (1001 + (i * 31 + i * i % 37) % 281), CASE WHEN i % 4 = 1 THEN NULL ELSE 'A-' || (20001 + i * 13 % 447) END, 1 + (i * i + i * 3) % 13 % 8, CASE i * 5 % 17 % 6 WHEN 0 THEN 'password' WHEN 1 THEN 'network' WHEN 2 THEN 'email' WHEN 3 THEN 'hardware' WHEN 4 THEN 'password' ELSE 'software' END, CASE WHEN i % 20 = 7 THEN 'critical' WHEN i % 20 < 5 THEN 'high' WHEN i % 20 < 13 THEN 'medium' ELSE 'low' END, CASE WHEN i * 17 % 1040 > 1010 THEN 'new' WHEN i * 17 % 1040 > 980 THEN 'in progress' WHEN i % 31 = 4 THEN 'waiting' WHEN i % 3 = 0 THEN 'solved' ELSE 'closed' END, CASE WHEN i % 7 < 3 THEN 'portal' WHEN i % 7 < 5 THEN 'mail' ELSE 'hotline' END, datetime('2024-01-15 07:00', (i * 17 % 1040) || ' days', (i * 29 % 660) || ' minutes'), datetime('2024-01-15 07:00', (i * 17 % 1040) || ' days', (i * 29 % 660 + 4 + i * 11 % 230) || ' minutes'), CASE WHEN i * 17 % 1040 > 980 OR i % 31 = 4 THEN NULL ELSE datetime('2024-01-15 07:00', (i * 17 % 1040) || ' days', (i * 29 % 660 + 300 + i * 71 % 5900) || ' minutes') END, CASE WHEN i % 19 = 3 THEN 1 ELSE 0 END FROM n;
INSERT INTO ticket_messages WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8200) SELECT i, 1 + i * 7 % 3067, CASE WHEN i % 5 < 3 THEN 'agent' ELSE 'employee' END, datetime('2024-01-15 08:00', (i * 7 % 3067 * 17 % 1040) || ' days', (i % 1300) || ' minutes'), 5 + i * 13 % 180 FROM n;
INSERT INTO surveys WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, 1 + i * 3, datetime('2024-01-25 09:00', (i * 51 % 1030) || ' days', (i * 7 % 500) || ' minutes'), 1 + (i * 7 % 13 + i % 4) % 5 FROM n;
