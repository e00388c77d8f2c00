-- A made-up chain of veterinary clinics: short column names, codes, few comments, and tables without a name.
CREATE TABLE tbl_clinic (
  cl_id INTEGER PRIMARY KEY,
  cl_nm TEXT,
  cty TEXT, -- City
  opn_dt DATE, -- Opening date
  beds INTEGER
);
CREATE TABLE tbl_vet (
  vet_id INTEGER PRIMARY KEY,
  fst_nm TEXT,
  lst_nm TEXT,
  spec TEXT, -- Speciality
  hire_dt DATE,
  cl_id INTEGER REFERENCES tbl_clinic (cl_id)
);
CREATE TABLE tbl_owner ( -- People who bring pets
  own_id INTEGER PRIMARY KEY,
  fst_nm TEXT,
  lst_nm TEXT,
  eml TEXT, -- Email
  reg_dt DATE -- Date of registration
);
CREATE TABLE tbl_pet (
  chip_no TEXT PRIMARY KEY,
  own_id INTEGER REFERENCES tbl_owner (own_id),
  spc_cd TEXT, -- Species: D dog, C cat, R rabbit, B bird
  brd TEXT, -- Breed
  sx TEXT, -- Sex: M male, F female
  birth_dt DATE,
  wt_kg REAL
);
CREATE TABLE tbl_appt ( -- Appointments
  appt_id INTEGER PRIMARY KEY,
  chip_no TEXT REFERENCES tbl_pet (chip_no),
  vet_id INTEGER REFERENCES tbl_vet (vet_id),
  cl_id INTEGER REFERENCES tbl_clinic (cl_id),
  sched_ts TIMESTAMP, -- Scheduled for
  dur_min INTEGER, -- Duration in minutes
  stat TEXT, -- Status: S scheduled, C completed, X cancelled, N no-show
  rsn_cd TEXT -- Reason: VAC vaccination, CHK check-up, SUR surgery, EMG emergency
);
CREATE TABLE tbl_inv ( -- Invoices
  inv_no INTEGER PRIMARY KEY,
  appt_id INTEGER REFERENCES tbl_appt (appt_id),
  inv_dt DATE,
  tot_amt REAL, -- Total amount in EUR
  pay_mtd INTEGER, -- Payment method: 1 cash, 2 card, 3 insurance
  pd_flg INTEGER -- 1 if paid
);
CREATE TABLE tbl_itm ( -- Products and services
  itm_cd TEXT PRIMARY KEY,
  descr TEXT,
  cat TEXT -- Category
);
CREATE TABLE tbl_inv_ln ( -- Invoice lines
  inv_no INTEGER REFERENCES tbl_inv (inv_no),
  ln_no INTEGER,
  itm_cd TEXT REFERENCES tbl_itm (itm_cd),
  qty INTEGER,
  unt_prc REAL
);
INSERT INTO tbl_clinic VALUES (1, 'Harbour Vets', 'Brenn', '2014-03-01', 6), (2, 'Paws & Co', 'Brenn', '2019-09-15', 4), (3, 'North Gate', 'Olsted', '2021-05-02', 8), (4, 'Green Lane', 'Maar', '2017-11-20', 3), (5, 'Riverside', 'Olsted', '2023-02-10', 5), (6, 'Hillcrest', 'Tvern', '2024-06-30', 2);
INSERT INTO tbl_vet WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 18) SELECT i, CASE i % 6 WHEN 0 THEN 'Alba' WHEN 1 THEN 'Boris' WHEN 2 THEN 'Clara' WHEN 3 THEN 'Dinesh' WHEN 4 THEN 'Elif' ELSE 'Frode' END, CASE i % 7 WHEN 0 THEN 'Reyes' WHEN 1 THEN 'Stone' WHEN 2 THEN 'Tanaka' WHEN 3 THEN 'Ulm' WHEN 4 THEN 'Vogel' WHEN 5 THEN 'Weber' ELSE 'Xu' END, CASE i * 5 % 4 WHEN 0 THEN 'surgery' WHEN 1 THEN 'dental' ELSE 'general' END, date('2015-01-10', (i * 211 % 3900) || ' days'), 1 + i * 5 % 6 FROM n;
INSERT INTO tbl_owner WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140) SELECT i, 'First' || i, 'Last' || (i * 7 % 53), CASE WHEN i % 8 = 3 THEN NULL ELSE 'o' || i || '@example.com' END, date('2022-01-05', (i * 97 % 1770) || ' days') FROM n;
INSERT INTO tbl_pet WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 210) SELECT 'CH' || (70000 + i * 13), 1 + CASE WHEN i % 5 < 2 THEN i % 29 ELSE i % 131 END, CASE i * 3 % 10 WHEN 0 THEN 'B' WHEN 1 THEN 'R' WHEN 2 THEN 'C' WHEN 3 THEN 'C' WHEN 4 THEN 'C' WHEN 5 THEN 'R' ELSE 'D' END, CASE i * 3 % 10 WHEN 0 THEN 'canary' WHEN 1 THEN 'lop' WHEN 2 THEN 'siamese' WHEN 3 THEN 'persian' WHEN 4 THEN 'siamese' WHEN 5 THEN 'dwarf' WHEN 6 THEN 'beagle' WHEN 7 THEN 'poodle' WHEN 8 THEN 'boxer' ELSE 'beagle' END, CASE i % 7 % 2 WHEN 0 THEN 'F' ELSE 'M' END, date('2012-04-01', (i * 53 % 5100) || ' days'), round(0.4 + i * 37 % 431 / 11.0, 2) FROM n;
INSERT INTO tbl_appt WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300) SELECT i, 'CH' || (70000 + (1 + CASE WHEN i % 6 < 2 THEN i % 17 * (i % 5) ELSE i * 11 % 197 END) * 13), 1 + i * i * 3 % 19 % 18, 1 + i * 7 % 23 % 6, datetime('2025-01-03 08:00', (i * 19 % 705) || ' days', (i * 41 % 600) || ' minutes'), 10 + i * 23 % 75, CASE WHEN i * 19 % 705 > 687 THEN 'S' WHEN i % 13 = 4 THEN 'X' WHEN i % 17 = 6 THEN 'N' ELSE 'C' END, CASE i * 7 % 12 WHEN 0 THEN 'SUR' WHEN 1 THEN 'EMG' WHEN 2 THEN 'VAC' WHEN 3 THEN 'VAC' WHEN 4 THEN 'VAC' WHEN 5 THEN 'SUR' ELSE 'CHK' END FROM n;
INSERT INTO tbl_inv SELECT 5000 + appt_id, appt_id, date(sched_ts), round(18 + appt_id * 29 % 311 / 1.3, 2), 1 + appt_id * 5 % 7 % 3, CASE WHEN appt_id % 9 = 2 THEN 0 ELSE 1 END FROM tbl_appt WHERE stat = 'C';
INSERT INTO tbl_itm VALUES ('AMX', 'Amoxicillin', 'drug'), ('MLX', 'Meloxicam', 'drug'), ('XRY', 'Radiography', 'service'), ('ANS', 'Anaesthesia', 'service'), ('DRY', 'Dry food 2 kg', 'food'), ('WET', 'Wet food', 'food'), ('FLE', 'Flea collar', 'accessory');
INSERT INTO tbl_inv_ln SELECT inv_no, 1, CASE inv_no % 7 WHEN 0 THEN 'AMX' WHEN 1 THEN 'MLX' WHEN 2 THEN 'XRY' WHEN 3 THEN 'ANS' WHEN 4 THEN 'DRY' WHEN 5 THEN 'WET' ELSE 'FLE' END, 1 + inv_no % 4, 4 + inv_no * 3 % 37 FROM tbl_inv UNION ALL SELECT inv_no, 2, CASE inv_no % 5 WHEN 0 THEN 'AMX' WHEN 1 THEN 'XRY' WHEN 2 THEN 'DRY' WHEN 3 THEN 'MLX' ELSE 'WET' END, 1 + inv_no % 3, 3 + inv_no * 7 % 29 FROM tbl_inv WHERE inv_no % 2 = 0;
