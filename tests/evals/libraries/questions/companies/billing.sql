-- A made-up seller of software by subscription. Hardly any comments; the glossary defines its measures.
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  company_name TEXT,
  industry TEXT,
  country_code TEXT,
  created_at TIMESTAMP,
  owner_email TEXT,
  is_trial BOOLEAN
);
CREATE TABLE plan (
  id INTEGER PRIMARY KEY,
  plan_name TEXT,
  monthly_price REAL,
  max_seats INTEGER
);
CREATE TABLE subscription (
  id INTEGER PRIMARY KEY,
  account_id INTEGER REFERENCES account (id),
  plan_id INTEGER REFERENCES plan (id),
  state TEXT,
  seats INTEGER,
  started_on DATE,
  cancelled_on DATE,
  cancel_reason TEXT
);
CREATE TABLE invoice (
  id INTEGER PRIMARY KEY,
  subscription_id INTEGER REFERENCES subscription (id),
  issued_on DATE,
  due_on DATE,
  amount REAL,
  tax REAL,
  status TEXT
);
CREATE TABLE payment (
  id INTEGER PRIMARY KEY,
  invoice_id INTEGER REFERENCES invoice (id),
  method TEXT,
  amount_paid REAL,
  paid_at TIMESTAMP,
  outcome TEXT
);
CREATE TABLE support_ticket (
  id INTEGER PRIMARY KEY,
  account_id INTEGER REFERENCES account (id),
  priority TEXT,
  channel TEXT,
  opened_at TIMESTAMP,
  closed_at TIMESTAMP,
  satisfaction_score INTEGER
);
INSERT INTO plan VALUES (1, 'Free', 0, 3), (2, 'Team', 49, 20), (3, 'Business', 199, 100), (4, 'Enterprise', 990, 1000);
INSERT INTO account WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) SELECT i, 'Company ' || i, CASE i * 5 % 6 WHEN 0 THEN 'retail' WHEN 1 THEN 'finance' WHEN 2 THEN 'health care' WHEN 3 THEN 'education' WHEN 4 THEN 'manufacturing' ELSE 'finance' END,
  CASE i * 7 % 8 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'CN' WHEN 3 THEN 'JP' WHEN 4 THEN 'GB' ELSE 'US' END, datetime('2024-01-05 10:00', (i * 97 % 1000) || ' days'), 'owner' || i || '@example.com', i % 7 = 0 FROM n;
INSERT INTO subscription WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i, 1 + i * 11 % 113, 1 + i * i % 4 + (i % 5 = 0), CASE i * 3 % 10 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'paused' WHEN 2 THEN 'cancelled' ELSE 'active' END, 1 + i * 13 % 60, date('2024-02-01', (i * 61 % 980) || ' days'), NULL, NULL FROM n;
UPDATE subscription SET cancelled_on = date(started_on, (20 + id * 17 % 40) || ' days'), cancel_reason = CASE id % 3 WHEN 0 THEN 'too expensive' WHEN 1 THEN 'missing features' ELSE 'switched vendor' END WHERE state = 'cancelled';
INSERT INTO invoice WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) SELECT i, 1 + i * 37 % 149, date('2025-01-03', (i * 29 % 680) || ' days'), date('2025-01-03', (i * 29 % 680 + 30) || ' days'), round(20 + i * 41 % 1500 * 1.05, 2), round((20 + i * 41 % 1500) * 0.08, 2),
  CASE i * 9 % 14 WHEN 0 THEN 'overdue' WHEN 1 THEN 'refunded' WHEN 2 THEN 'open' WHEN 3 THEN 'overdue' ELSE 'paid' END FROM n;
INSERT INTO payment SELECT id, id, CASE id % 4 WHEN 0 THEN 'credit card' WHEN 1 THEN 'wire transfer' WHEN 2 THEN 'credit card' ELSE 'paypal' END, amount + tax, datetime(issued_on, (id % 25) || ' days', '11 hours'), CASE id % 12 WHEN 5 THEN 'declined' ELSE 'succeeded' END FROM invoice WHERE status IN ('paid', 'refunded');
INSERT INTO support_ticket WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 260) SELECT i, 1 + i * 19 % 117, CASE i * 7 % 5 WHEN 0 THEN 'urgent' WHEN 1 THEN 'low' ELSE 'normal' END, CASE i % 3 WHEN 0 THEN 'chat' WHEN 1 THEN 'email' ELSE 'phone' END, datetime('2025-03-01 08:00', (i * 31 % 620) || ' days'), CASE WHEN i % 9 = 0 THEN NULL ELSE datetime('2025-03-01 08:00', (i * 31 % 620 + i % 6) || ' days') END, CASE WHEN i % 4 = 0 THEN NULL ELSE 1 + i * 3 % 5 END FROM n;
