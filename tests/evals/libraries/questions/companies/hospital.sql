-- A made-up hospital. Comments behind columns are the descriptions of the catalogue; rows are computed, so that they are the same everywhere.
CREATE TABLE departments ( -- Departments of the hospital
  department_id INTEGER PRIMARY KEY, -- Unique identifier of the department
  name TEXT NOT NULL, -- Name of the department
  floor INTEGER, -- Floor on which the ward is
  annual_budget REAL -- Budget of the current year in US dollars
);
CREATE TABLE doctors ( -- Doctors and their specialties
  doctor_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL, -- First and last name
  specialty TEXT, -- Medical specialty
  department_id INTEGER REFERENCES departments (department_id),
  hired_on DATE, -- Date on which the doctor was hired
  salary REAL -- Yearly salary in US dollars
);
CREATE TABLE patients ( -- People who have been treated
  patient_id INTEGER PRIMARY KEY,
  first_name TEXT,
  last_name TEXT,
  birth_date DATE,
  gender TEXT, -- F or M
  city TEXT,
  state TEXT, -- Two-letter code of the state
  blood_type TEXT,
  insurer TEXT, -- Health insurance company, empty for patients who pay themselves
  registered_on DATE -- Date of the first registration
);
CREATE TABLE appointments ( -- Appointments of patients with doctors
  appointment_id INTEGER PRIMARY KEY,
  patient_id INTEGER REFERENCES patients (patient_id),
  doctor_id INTEGER REFERENCES doctors (doctor_id),
  scheduled_at TIMESTAMP, -- Date and time of the appointment
  status TEXT, -- completed, cancelled or no_show
  fee REAL, -- Fee charged in US dollars
  waiting_minutes INTEGER -- Minutes that the patient waited
);
CREATE TABLE prescriptions ( -- Drugs prescribed at an appointment
  prescription_id INTEGER PRIMARY KEY,
  appointment_id INTEGER REFERENCES appointments (appointment_id),
  drug_id INTEGER REFERENCES drugs (drug_id),
  prescribed_at TIMESTAMP,
  quantity INTEGER, -- Number of packages
  is_refill BOOLEAN -- Whether it repeats an earlier prescription
);
CREATE TABLE drugs ( -- Drugs that the pharmacy has
  drug_id INTEGER PRIMARY KEY,
  name TEXT,
  manufacturer TEXT, -- Company that makes the drug
  unit_price REAL, -- Price of a package in US dollars
  requires_cooling BOOLEAN -- Whether the drug is kept in a refrigerator
);
INSERT INTO departments VALUES (1, 'Cardiology', 3, 900000), (2, 'Oncology', 5, 1200000), (3, 'Pediatrics', 2, 650000), (4, 'Emergency', 1, 1500000), (5, 'Radiology', 1, 400000);
INSERT INTO doctors VALUES
  (1, 'Alice Romero', 'cardiologist', 1, '2015-03-01', 310000), (2, 'Bo Lindqvist', 'cardiologist', 1, '2021-06-15', 265000), (3, 'Chen Wei', 'oncologist', 2, '2010-09-01', 340000),
  (4, 'Dara Okafor', 'oncologist', 2, '2026-02-01', 250000), (5, 'Elif Kaya', 'pediatrician', 3, '2018-01-10', 215000), (6, 'Farid Nasser', 'pediatrician', 3, '2022-11-01', 198000),
  (7, 'Grace Hall', 'emergency physician', 4, '2012-05-20', 290000), (8, 'Hugo Silva', 'emergency physician', 4, '2026-07-01', 240000), (9, 'Ines Moreau', 'radiologist', 5, '2019-04-04', 280000),
  (10, 'Jonas Berg', 'surgeon', NULL, '2024-08-12', 355000);
INSERT INTO drugs VALUES (1, 'Amoxicillin', 'Novarin', 12.5, 0), (2, 'Insulin', 'Glycera', 64, 1), (3, 'Ibuprofen', 'Novarin', 6.2, 0), (4, 'Atorvastatin', 'Cardion', 21, 0), (5, 'Metformin', 'Glycera', 9.9, 0), (6, 'Remdesivir', 'Viratek', 410, 1), (7, 'Cetirizine', 'Novarin', 7.4, 0);
INSERT INTO patients WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80) SELECT i,
  substr('Anna Ben  Cara Dan  Eva  Finn Gina Hal  Iris Jack ', 1 + 5 * (i % 10), 4 + (i % 10 IN (1000))), substr('Adams  Brown  Clark  Davis  Evans  Foster Garcia ', 1 + 7 * (i * 3 % 7), 6),
  date('1940-01-01', (i * 389 % 27000) || ' days'), CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END,
  CASE i * 7 % 5 WHEN 0 THEN 'San Francisco' WHEN 1 THEN 'Los Angeles' WHEN 2 THEN 'New York' WHEN 3 THEN 'Austin' ELSE 'Houston' END, CASE i * 7 % 5 WHEN 0 THEN 'CA' WHEN 1 THEN 'CA' WHEN 2 THEN 'NY' ELSE 'TX' END,
  CASE i * 5 % 7 WHEN 0 THEN 'A+' WHEN 1 THEN 'O+' WHEN 2 THEN 'B+' WHEN 3 THEN 'AB-' WHEN 4 THEN 'O-' WHEN 5 THEN 'A-' ELSE 'O+' END,
  CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN 'Bluecrest' WHEN 2 THEN 'Bluecrest' WHEN 3 THEN 'Unity Health' WHEN 4 THEN 'Medshield' ELSE 'Unity Health' END, date('2023-01-01', (i * 53 % 1400) || ' days') FROM n;
UPDATE patients SET first_name = trim(first_name), last_name = trim(last_name);
INSERT INTO appointments WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i, 1 + i * i % 73, 1 + i * 13 % 9 , datetime('2025-01-01 08:00', (i * 41 % 690) || ' days', (i % 9) || ' hours'),
  CASE i * 11 % 10 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'no_show' WHEN 5 THEN 'cancelled' ELSE 'completed' END, 80 + i * 17 % 300, i * 29 % 90 FROM n;
INSERT INTO prescriptions WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i, 1 + i * 23 % 397, 1 + i * i % 6, (SELECT scheduled_at FROM appointments WHERE appointment_id = 1 + i * 23 % 397), 1 + i % 4, i % 3 = 0 FROM n;
