-- A made-up recruiting agency: clients, vacancies, candidates, applications, interviews, placements and invoices.
CREATE TABLE client_company ( -- Companies that hire through us
  client_id INTEGER PRIMARY KEY,
  client_name TEXT, -- Name of the client
  industry TEXT, -- Industry of the client
  hq_city TEXT, -- City of the head office
  signed_date DATE -- Date on which the framework contract was signed
);
CREATE TABLE recruiter ( -- Our own recruiters
  recruiter_id INTEGER PRIMARY KEY,
  first_name TEXT, -- First name
  last_name TEXT, -- Last name
  team TEXT, -- Team of the recruiter
  is_active INTEGER -- 1 while employed with us
);
CREATE TABLE vacancy ( -- Open and closed positions of clients
  vacancy_id INTEGER PRIMARY KEY,
  client_id INTEGER REFERENCES client_company (client_id), -- Client that wants to hire
  recruiter_id INTEGER REFERENCES recruiter (recruiter_id), -- Recruiter in charge
  job_title TEXT, -- Title of the position
  seniority TEXT, -- Seniority wanted
  salary_min INTEGER, -- Lowest salary per year in EUR
  salary_max INTEGER, -- Highest salary per year in EUR
  remote_allowed INTEGER, -- 1 if remote work is allowed
  opened_date DATE, -- Day on which the vacancy was opened
  closed_date DATE -- Day on which the vacancy was filled or withdrawn, empty while open
);
CREATE TABLE candidate ( -- People looking for a position
  candidate_id INTEGER PRIMARY KEY,
  candidate_name TEXT, -- Name of the candidate
  city TEXT, -- City of residence
  years_experience INTEGER, -- Years of professional experience
  source TEXT, -- Where the candidate came from
  registered_at TIMESTAMP, -- When the candidate registered
  expected_salary INTEGER -- Expected salary per year in EUR
);
CREATE TABLE application ( -- Applications of candidates for vacancies
  application_id INTEGER PRIMARY KEY,
  candidate_id INTEGER REFERENCES candidate (candidate_id), -- Who applied
  vacancy_id INTEGER REFERENCES vacancy (vacancy_id), -- What they applied for
  applied_at TIMESTAMP, -- When they applied
  stage TEXT, -- Stage reached: screening, interview, offer, hired, rejected, withdrawn
  rejection_reason TEXT -- Why it was rejected
);
CREATE TABLE interview ( -- Interviews with clients
  interview_id INTEGER PRIMARY KEY,
  application_id INTEGER REFERENCES application (application_id), -- Application it belongs to
  held_at TIMESTAMP, -- When it took place
  format TEXT, -- phone, video or onsite
  rating INTEGER -- Rating by the client from 1 to 10
);
CREATE TABLE invoice ( -- Fees that we bill to clients
  invoice_id INTEGER PRIMARY KEY,
  client_id INTEGER REFERENCES client_company (client_id), -- Client that is billed
  application_id INTEGER REFERENCES application (application_id), -- Application that led to the placement
  issued_date DATE, -- Day of issue
  due_date DATE, -- Day by which it is due
  paid_date DATE, -- Day of payment, empty while unpaid
  fee REAL -- Placement fee in EUR
);
INSERT INTO client_company WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT i, CASE i % 10 WHEN 0 THEN 'Nordwind' WHEN 1 THEN 'Calyx' WHEN 2 THEN 'Ferro' WHEN 3 THEN 'Blue Harbor' WHEN 4 THEN 'Optima' WHEN 5 THEN 'Sunfield' WHEN 6 THEN 'Tesla Coil' WHEN 7 THEN 'Granit' WHEN 8 THEN 'Paperplane' ELSE 'Mosaic' END || CASE i / 10 WHEN 0 THEN ' AG' WHEN 1 THEN ' Ltd' WHEN 2 THEN ' Group' ELSE ' SE' END, CASE i * 3 % 7 WHEN 0 THEN 'banking' WHEN 1 THEN 'software' WHEN 2 THEN 'logistics' WHEN 3 THEN 'energy' WHEN 4 THEN 'software' WHEN 5 THEN 'healthcare' ELSE 'retail' END, CASE i * 5 % 9 % 4 WHEN 0 THEN 'Munich' WHEN 1 THEN 'Zurich' WHEN 2 THEN 'Vienna' ELSE 'Munich' END, date('2019-02-01', (i * 171 % 2500) || ' days') FROM n;
INSERT INTO recruiter VALUES (1, 'Hanna', 'Vogt', 'tech', 1), (2, 'Marek', 'Dvorak', 'tech', 1), (3, 'Julie', 'Petit', 'finance', 1), (4, 'Li', 'Jun', 'tech', 1), (5, 'Oskar', 'Berg', 'health', 0), (6, 'Nadia', 'Rossi', 'finance', 1), (7, 'Ben', 'Carter', 'health', 1), (8, 'Eva', 'Szabo', 'finance', 0);
INSERT INTO vacancy WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 420) SELECT i, 1 + i * i % 37, 1 + i * 7 % 11 % 7, CASE i * 5 % 13 % 6 WHEN 0 THEN 'Data Engineer' WHEN 1 THEN 'Accountant' WHEN 2 THEN 'Nurse' WHEN 3 THEN 'Backend Developer' WHEN 4 THEN 'Data Engineer' ELSE 'Controller' END, CASE WHEN i % 5 < 2 THEN 'junior' WHEN i % 5 < 4 THEN 'senior' ELSE 'lead' END, 38000 + i * 13 % 40 * 1000, 45000 + i * 13 % 40 * 1000 + i % 17 * 1000, CASE WHEN i % 3 = 1 THEN 1 ELSE 0 END, date('2024-01-08', (i * 23 % 1040) || ' days'), CASE WHEN i % 6 = 2 THEN NULL ELSE date('2024-01-08', (i * 23 % 1040 + 9 + i * 7 % 80) || ' days') END FROM n;
INSERT INTO candidate WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) SELECT i, 'Candidate ' || (4000 + i), CASE i * 11 % 23 % 5 WHEN 0 THEN 'Munich' WHEN 1 THEN 'Vienna' WHEN 2 THEN 'Zurich' WHEN 3 THEN 'Graz' ELSE 'Munich' END, i * 7 % 26, CASE WHEN i % 10 < 4 THEN 'LinkedIn' WHEN i % 10 < 6 THEN 'referral' WHEN i % 10 < 9 THEN 'job board' ELSE 'career fair' END, datetime('2023-12-01 08:00', (i * 29 % 1080) || ' days', (i * 61 % 700) || ' minutes'), 36000 + i * 17 % 60 * 1000 FROM n;
INSERT INTO application WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3300) SELECT i, 1 + (i * 43 + i * i % 61) % 1040, 1 + (i * i + i * 5) % 401, datetime('2024-01-20 07:00', (i * 19 % 1030) || ' days', (i * 37 % 900) || ' minutes'), CASE WHEN i % 14 = 3 THEN 'hired' WHEN i % 14 < 6 THEN 'rejected' WHEN i % 14 < 9 THEN 'screening' WHEN i % 14 < 11 THEN 'interview' WHEN i % 14 = 11 THEN 'offer' ELSE 'withdrawn' END, CASE WHEN i % 14 < 6 AND i % 14 <> 3 THEN CASE WHEN i % 3 = 0 THEN 'salary' WHEN i % 3 = 1 THEN 'skills' ELSE 'language' END END FROM n;
INSERT INTO interview WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1900) SELECT i, 1 + i * i % 3217, datetime('2024-02-05 09:00', (i * 31 % 1015) || ' days', (i * 47 % 480) || ' minutes'), CASE WHEN i % 7 < 3 THEN 'video' WHEN i % 7 < 5 THEN 'phone' ELSE 'onsite' END, CASE WHEN i % 12 = 1 THEN NULL ELSE 1 + i * 3 % 10 END FROM n;
INSERT INTO invoice WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 235) SELECT 80000 + i, (SELECT client_id FROM application JOIN vacancy USING (vacancy_id) WHERE application_id = 3 + i * 14), 3 + i * 14, date('2024-03-01', (i * 37 % 985) || ' days'), date('2024-03-31', (i * 37 % 985) || ' days'), CASE WHEN i % 9 = 5 THEN NULL ELSE date('2024-03-06', (i * 37 % 985 + i % 45) || ' days') END, round(4500 + i * 41 % 331 * 37.5, 2) FROM n;
