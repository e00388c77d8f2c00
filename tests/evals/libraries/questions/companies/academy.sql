-- A made-up school of online courses. Nobody wrote comments.
CREATE TABLE learners (
  learner_id INTEGER PRIMARY KEY,
  full_name TEXT,
  email TEXT,
  country TEXT,
  plan TEXT,
  signed_up_at TIMESTAMP,
  last_login_at TIMESTAMP
);
CREATE TABLE instructors (
  instructor_id INTEGER PRIMARY KEY,
  full_name TEXT,
  joined_on DATE,
  revenue_share REAL
);
CREATE TABLE courses (
  course_id INTEGER PRIMARY KEY,
  title TEXT,
  topic TEXT,
  level TEXT,
  instructor_id INTEGER REFERENCES instructors (instructor_id),
  price_usd REAL,
  published_on DATE,
  duration_minutes INTEGER
);
CREATE TABLE lessons (
  lesson_id INTEGER PRIMARY KEY,
  course_id INTEGER REFERENCES courses (course_id),
  position INTEGER,
  title TEXT,
  duration_minutes INTEGER
);
CREATE TABLE enrollments (
  enrollment_id INTEGER PRIMARY KEY,
  learner_id INTEGER REFERENCES learners (learner_id),
  course_id INTEGER REFERENCES courses (course_id),
  enrolled_at TIMESTAMP,
  completed_at TIMESTAMP,
  progress_pct REAL,
  amount_paid_usd REAL
);
CREATE TABLE quiz_attempts (
  attempt_id INTEGER PRIMARY KEY,
  enrollment_id INTEGER REFERENCES enrollments (enrollment_id),
  lesson_id INTEGER REFERENCES lessons (lesson_id),
  score REAL,
  passed INTEGER,
  attempted_at TIMESTAMP
);
CREATE TABLE reviews (
  review_id INTEGER PRIMARY KEY,
  course_id INTEGER REFERENCES courses (course_id),
  learner_id INTEGER REFERENCES learners (learner_id),
  stars INTEGER,
  comment TEXT,
  created_at TIMESTAMP
);
INSERT INTO learners WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700) SELECT i, 'Learner ' || (2000 + i), 'l' || i || '@example.org', CASE i * 7 % 23 % 7 WHEN 0 THEN 'Germany' WHEN 1 THEN 'Brazil' WHEN 2 THEN 'China' WHEN 3 THEN 'India' WHEN 4 THEN 'Kenya' WHEN 5 THEN 'India' ELSE 'Canada' END, CASE WHEN i % 11 < 6 THEN 'free' WHEN i % 11 < 9 THEN 'pro' ELSE 'team' END, datetime('2024-01-04 06:00', (i * 43 % 1040) || ' days', (i * 71 % 900) || ' minutes'), CASE WHEN i % 10 = 3 THEN NULL ELSE datetime('2026-11-20 20:00', '-' || (i * 19 % 300) || ' days', (i * 37 % 200) || ' minutes') END FROM n;
INSERT INTO instructors VALUES (1, 'Amara Obi', '2023-02-01', 0.6), (2, 'Jonas Lind', '2023-05-20', 0.5), (3, 'Wang Min', '2023-09-11', 0.55), (4, 'Sofia Reyes', '2024-01-15', 0.5), (5, 'Peter Novak', '2024-06-03', 0.5), (6, 'Leila Haddad', '2025-02-17', 0.45), (7, 'Tom Baker', '2025-10-06', 0.4);
INSERT INTO courses WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 36) SELECT i, CASE i % 6 WHEN 0 THEN 'Statistics' WHEN 1 THEN 'Python' WHEN 2 THEN 'Watercolour' WHEN 3 THEN 'Public Speaking' WHEN 4 THEN 'SQL' ELSE 'Photography' END || ' ' || CASE WHEN i <= 12 THEN 'Basics' WHEN i <= 24 THEN 'in Practice' ELSE 'Masterclass' END || CASE WHEN (i - 1) / 6 % 2 = 1 THEN ' II' ELSE '' END, CASE i % 6 WHEN 0 THEN 'data' WHEN 1 THEN 'programming' WHEN 2 THEN 'art' WHEN 3 THEN 'business' WHEN 4 THEN 'data' ELSE 'art' END, CASE WHEN i <= 12 THEN 'beginner' WHEN i <= 24 THEN 'intermediate' ELSE 'advanced' END, 1 + i * 5 % 6, 19 + i * 13 % 130, date('2023-06-01', (i * 97 % 1100) || ' days'), 90 + i * 41 % 500 FROM n;
INSERT INTO lessons WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 287) SELECT 1 + i, 1 + i / 8, 1 + i % 8, 'Lesson ' || (1 + i % 8), 5 + i * 17 % 47 FROM n;
INSERT INTO enrollments WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2600) SELECT i, 1 + (i * 37 + i * i % 53) % 661, 1 + (i * i % 97 + i) % 34, datetime('2024-02-01 05:00', (i * 31 % 1010) || ' days', (i * 59 % 1000) || ' minutes'), CASE WHEN i % 5 < 2 THEN datetime('2024-02-01 05:00', (i * 31 % 1010 + 6 + i * 3 % 50) || ' days', (i * 59 % 1000) || ' minutes') END, CASE WHEN i % 5 < 2 THEN 100 ELSE i * 7 % 96 END, CASE WHEN i % 6 = 0 THEN 0 ELSE round(19 + i * 29 % 1301 / 10.0, 2) END FROM n;
INSERT INTO quiz_attempts WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5200) SELECT i, 1 + i * 11 % 2311, 1 + i * i % 281, round(20 + i * 17 % 801 / 10.0, 1), CASE WHEN 20 + i * 17 % 801 / 10.0 >= 60 THEN 1 ELSE 0 END, datetime('2024-03-01 09:00', (i * 23 % 990) || ' days', (i * 7 % 700) || ' minutes') FROM n;
INSERT INTO reviews WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 830) SELECT i, 1 + i * i % 33, 1 + i * 29 % 640, 1 + (i * 13 % 11 + i % 3) % 5, CASE WHEN i % 4 = 0 THEN NULL ELSE 'Comment ' || i END, datetime('2024-04-01 10:00', (i * 41 % 955) || ' days', (i * 13 % 600) || ' minutes') FROM n;
