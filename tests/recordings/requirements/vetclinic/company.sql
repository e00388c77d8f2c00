CREATE TABLE clinic (clinic_id INTEGER PRIMARY KEY, code VARCHAR NOT NULL, city VARCHAR, ccy VARCHAR, opened_on DATE, closed_on DATE, is_demo BOOLEAN DEFAULT FALSE);
COMMENT ON TABLE clinic IS 'Veterinary clinics of the group. All clinics work in local time Europe/Zurich.';
COMMENT ON COLUMN clinic.closed_on IS 'first day on which the clinic no longer exists; NULL = still open';
COMMENT ON COLUMN clinic.is_demo IS 'TRUE = training clinic, nothing booked there is real';
INSERT INTO clinic VALUES
(1,'ZRH','Zürich','CHF','2015-03-01',NULL,FALSE),(2,'BSL','Basel','CHF','2018-09-01',NULL,FALSE),
(3,'KON','Konstanz','EUR','2021-01-15',NULL,FALSE),(4,'LUG','Lugano','CHF','2016-05-01','2026-10-15',FALSE),
(5,'DEMO','Zürich','CHF','2015-03-01',NULL,TRUE),(6,'WIN','Winterthur','CHF','2026-11-02',NULL,FALSE);

CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, full_name VARCHAR, email VARCHAR, phone VARCHAR, city VARCHAR, src VARCHAR, updated_utc TIMESTAMP);
COMMENT ON TABLE owner IS 'Pet owners as they were typed in; the same person can be here several times.';
COMMENT ON COLUMN owner.src IS 'CRM = call centre, WEB = self registration, PAP = copied from a paper form';
COMMENT ON COLUMN owner.updated_utc IS 'UTC';
INSERT INTO owner VALUES
(101,'Anna Keller','anna.keller@mail.ch','+41 44 111','Zürich','WEB','2026-11-20 08:00'),
(102,'A. Keller',' Anna.Keller@mail.ch','+41 44 222','Zürich','CRM','2026-05-02 09:00'),
(103,'Beat Huber','b.huber@mail.ch',NULL,'Basel','PAP','2026-01-10 10:00'),
(104,'Beat Huber','B.HUBER@mail.ch','+41 61 333','Basel','PAP','2026-03-10 10:00'),
(105,'Carla Rossi','carla@posta.it','+41 91 444','Lugano','CRM','2025-12-01 07:00'),
(106,'Dieter Vogt','dvogt@web.de','+49 7531 55','Konstanz','WEB','2026-07-07 07:07'),
(107,'Eva Frei',NULL,'+41 52 666','Winterthur','PAP','2026-11-03 12:00'),
(108,'Test Test','test@vet.example','000','Zürich','CRM','2026-11-01 00:00'),
(109,'Fritz Meier','','+41 44 777','Zürich','CRM','2026-08-08 08:00'),
(110,'Dieter Vogt','dvogt@web.de ','+49 7531 56','Radolfzell','WEB','2026-07-07 07:07'),
(111,'C. Rossi','Carla@posta.it',NULL,NULL,'WEB','2026-11-25 07:00');

CREATE TABLE animal (animal_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner(owner_id), nm VARCHAR, sp VARCHAR, died_on DATE);
COMMENT ON COLUMN animal.sp IS 'D dog, C cat, R rabbit, O other';
COMMENT ON COLUMN animal.died_on IS 'day of death, NULL = alive';
INSERT INTO animal VALUES
(1,101,'Bello','D',NULL),(2,102,'Mimi','C',NULL),(3,103,'Rex','D',NULL),(4,105,'Luna','C','2026-10-12'),
(5,106,'Hoppel','R',NULL),(6,107,'Kira','D',NULL),(7,108,'Testhund','D',NULL),(8,109,'Minka','C',NULL),(9,110,'Max','D',NULL),(10,104,'Nero','O',NULL);

CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, animal_id INTEGER, clinic_id INTEGER, start_utc TIMESTAMP, st VARCHAR, chan VARCHAR, wt_g INTEGER);
COMMENT ON TABLE visit IS 'One row per appointment.';
COMMENT ON COLUMN visit.animal_id IS 'NULL = animal without owner, e.g. brought by the police';
COMMENT ON COLUMN visit.start_utc IS 'planned start, UTC';
COMMENT ON COLUMN visit.st IS 'present state: B booked, I checked in, D done, N no-show, X cancelled';
COMMENT ON COLUMN visit.chan IS 'how it was booked: TEL, WEB, APP, WALK; NULL = not recorded';
COMMENT ON COLUMN visit.wt_g IS 'weight in grams; NULL = not weighed; 0 = scale broken, not a weight';
INSERT INTO visit VALUES
(1001,1,1,'2026-08-03 08:00','D','TEL',24000),(1002,1,1,'2026-08-17 08:00','D','WEB',NULL),(1003,1,2,'2026-09-01 08:00','D','WEB',24500),
(1004,1,2,'2026-10-31 23:30','D','APP',0),(1005,1,1,'2026-11-10 09:00','X','APP',NULL),(1006,1,2,'2026-11-28 09:00','D','APP',25100),
(1007,2,1,'2026-07-01 08:00','X','WEB',NULL),(1008,2,1,'2026-08-31 22:15','D','TEL',4100),(1009,2,5,'2026-09-10 08:00','D','WEB',9999),
(1010,2,1,'2026-09-15 08:00','D','APP',4200),(1011,2,1,'2026-11-28 10:00','N','APP',NULL),
(1012,3,2,'2026-09-05 07:00','D',NULL,31000),(1013,3,2,'2026-09-18 22:30','D','TEL',30500),(1014,3,1,'2026-10-20 07:00','D','TEL',NULL),
(1015,4,4,'2026-09-20 07:00','D','WALK',3900),(1016,4,4,'2026-10-02 07:00','D','TEL',3500),(1017,4,1,'2026-10-11 15:00','D','TEL',3300),
(1018,5,3,'2026-10-05 06:30','D','WEB',1800),(1019,5,3,'2026-11-27 23:15','D','WEB',1900),
(1020,6,6,'2026-11-05 08:00','D','WALK',18000),(1021,6,6,'2026-11-28 23:30','B','TEL',NULL),(1022,7,1,'2026-11-28 08:00','D','TEL',1),
(1023,NULL,1,'2026-11-28 11:00','D','WALK',5000),(1024,8,1,'2026-11-28 14:00','X','TEL',NULL),(1025,9,3,'2026-11-28 12:00','N','WEB',NULL),
(1026,3,1,'2026-11-24 08:00','D','APP',30900),(1027,8,1,'2026-11-26 13:00','I','TEL',NULL);

CREATE TABLE visit_log (log_id INTEGER PRIMARY KEY, visit_id INTEGER, st VARCHAR, at_utc TIMESTAMP);
COMMENT ON TABLE visit_log IS 'Every change of visit.st. A state can be entered several times (wrong click, taken back, set again). Kept only since 2026-11-01.';
COMMENT ON COLUMN visit_log.at_utc IS 'UTC';
INSERT INTO visit_log VALUES
(1,1006,'B','2026-11-20 10:00'),(2,1006,'I','2026-11-28 08:50'),(3,1006,'D','2026-11-28 09:20'),(4,1006,'I','2026-11-28 09:21'),(5,1006,'D','2026-11-28 09:45'),
(6,1011,'B','2026-11-01 07:00'),(7,1011,'N','2026-11-28 10:30'),(8,1019,'B','2026-11-27 20:00'),(9,1019,'I','2026-11-27 23:10'),(10,1019,'D','2026-11-27 23:55'),
(11,1021,'B','2026-11-25 07:00'),(12,1022,'B','2026-11-28 07:00'),(13,1022,'D','2026-11-28 08:30'),(14,1023,'I','2026-11-28 11:00'),(15,1023,'D','2026-11-28 11:40'),
(16,1024,'B','2026-11-24 07:00'),(17,1024,'X','2026-11-27 16:00'),(18,1025,'B','2026-11-26 06:00'),(19,1025,'N','2026-11-28 12:30'),
(20,1026,'B','2026-11-20 09:00'),(21,1026,'I','2026-11-24 07:58'),(22,1026,'D','2026-11-24 08:40'),(23,1027,'B','2026-11-24 09:00'),(24,1027,'I','2026-11-26 12:55'),(25,1020,'I','2026-11-05 08:00');

CREATE TABLE invoice_line (line_id INTEGER PRIMARY KEY, visit_id INTEGER, item VARCHAR, net_ct INTEGER, vat_ct INTEGER, ccy VARCHAR, posted_utc TIMESTAMP, is_void BOOLEAN);
COMMENT ON COLUMN invoice_line.net_ct IS 'cents without VAT; negative = credit note';
COMMENT ON COLUMN invoice_line.vat_ct IS 'VAT in cents, comes on top of net_ct';
COMMENT ON COLUMN invoice_line.posted_utc IS 'UTC';
COMMENT ON COLUMN invoice_line.is_void IS 'TRUE = typed by mistake, does not count; NULL is the same as FALSE';
INSERT INTO invoice_line VALUES
(1,1012,'exam',10000,810,'CHF','2026-09-05 08:00',FALSE),(2,1012,'drug',5000,125,'CHF','2026-09-05 08:00',NULL),(3,1012,'drug',5000,125,'CHF','2026-09-05 08:01',TRUE),
(4,1015,'exam',12000,972,'CHF','2026-09-30 22:30',FALSE),(5,1016,'surgery',80000,6480,'CHF','2026-10-02 10:00',FALSE),(6,1016,'surgery',-10000,-810,'CHF','2026-10-20 10:00',FALSE),
(7,1018,'exam',6000,1140,'EUR','2026-10-05 07:30',FALSE),(8,1018,'drug',2000,380,'EUR','2026-10-14 22:30',FALSE),(9,1019,'exam',6500,1235,'EUR','2026-11-28 00:10',FALSE),
(10,1004,'exam',11000,891,'CHF','2026-10-31 23:50',FALSE),(11,1009,'exam',99900,8092,'CHF','2026-09-10 09:00',FALSE),(12,1022,'exam',100,8,'CHF','2026-11-28 08:30',FALSE),
(13,1006,'exam',11000,891,'CHF','2026-11-28 09:50',FALSE),(14,1006,'drug',4000,100,'CHF','2026-11-28 09:51',FALSE),(15,1023,'exam',9000,729,'CHF','2026-11-28 11:45',NULL),
(16,1011,'no-show fee',5000,405,'CHF','2026-11-28 10:35',FALSE),(17,1026,'exam',10500,851,'CHF','2026-11-24 08:45',FALSE),(18,1020,'exam',9500,770,'CHF','2026-11-05 08:40',FALSE),(19,1025,'no-show fee',3000,570,'EUR','2026-11-28 12:40',TRUE);

CREATE TABLE payment (pay_id INTEGER PRIMARY KEY, visit_id INTEGER, meth VARCHAR, amt_ct INTEGER, ccy VARCHAR, paid_utc TIMESTAMP, state VARCHAR, gw_ref VARCHAR);
COMMENT ON TABLE payment IS 'Payments for visits, always in the currency of the invoice lines of that visit.';
COMMENT ON COLUMN payment.meth IS 'CARD, TWINT, CASH';
COMMENT ON COLUMN payment.amt_ct IS 'cents incl. VAT; negative = paid back';
COMMENT ON COLUMN payment.state IS 'OK = money is there, FAIL = refused, PEND = not there yet';
COMMENT ON COLUMN payment.gw_ref IS 'reference of the payment gateway. The gateway at times sends the same OK message twice: equal gw_ref = one and the same payment, only the lowest pay_id counts. NULL for cash, every cash row is a payment of its own.';
COMMENT ON COLUMN payment.paid_utc IS 'UTC';
INSERT INTO payment VALUES
(1,1012,'CASH',8000,'CHF','2026-09-05 08:10','OK',NULL),(2,1012,'CASH',7935,'CHF','2026-09-05 08:11','OK',NULL),
(3,1015,'CARD',12972,'CHF','2026-09-30 22:40','OK','g1'),(4,1015,'CARD',12972,'CHF','2026-10-01 05:00','OK','g1'),
(5,1016,'CARD',86480,'CHF','2026-10-02 10:10','FAIL','g2'),(6,1016,'CARD',86480,'CHF','2026-10-02 10:12','OK','g3'),(7,1016,'CARD',-10810,'CHF','2026-10-20 10:10','OK','g4'),
(8,1018,'TWINT',7140,'EUR','2026-10-05 07:40','OK','g5'),(9,1018,'TWINT',7140,'EUR','2026-10-05 07:41','OK','g5'),(10,1004,'TWINT',11891,'CHF','2026-10-31 23:55','OK','g6'),
(11,1009,'CARD',107992,'CHF','2026-10-10 09:05','OK','g7'),(12,1006,'CARD',10000,'CHF','2026-11-28 10:00','OK','g8'),(13,1006,'CASH',2000,'CHF','2026-11-28 10:01','OK',NULL),
(14,1026,'CARD',11351,'CHF','2026-11-24 09:00','PEND','g9'),(15,1020,'CASH',5000,'CHF','2026-11-05 08:50','OK',NULL),(16,1020,'CASH',5000,'CHF','2026-11-06 08:50','OK',NULL),
(17,1013,'CASH',3000,'CHF','2026-10-19 07:00','OK',NULL),(18,1022,'CARD',108,'CHF','2026-10-28 08:35','OK','g10'),(19,1018,'TWINT',2380,'EUR','2026-10-31 22:59','OK','g11'),(20,1010,'CARD',4500,'CHF','2026-10-07 09:00','OK','g12');

CREATE TABLE fx_rate (ccy VARCHAR, valid_from DATE, valid_to DATE, chf_per_unit DECIMAL(12,6), PRIMARY KEY (ccy, valid_from));
COMMENT ON TABLE fx_rate IS 'Book rates to CHF by local day (Europe/Zurich). CHF itself is not in it (= 1).';
COMMENT ON COLUMN fx_rate.valid_to IS 'last day that is still valid (inclusive); NULL = until further notice';
INSERT INTO fx_rate VALUES ('EUR','2026-07-01','2026-09-30',0.94),('EUR','2026-10-01','2026-10-14',0.95),('EUR','2026-10-15','2026-11-15',0.93),('EUR','2026-11-16',NULL,0.92),('USD','2026-07-01',NULL,0.80);

CREATE TABLE animal_last_seen (animal_id INTEGER, last_visit_id INTEGER, last_seen_on DATE, clinic_code VARCHAR);
COMMENT ON TABLE animal_last_seen IS 'Recall list: last done visit of each animal, local day. First filled by hand from the old system.';
INSERT INTO animal_last_seen VALUES (1,1004,'2026-11-01','BSL'),(2,1010,'2026-09-15','ZRH'),(3,1014,'2026-10-20','ZRH'),(4,1017,'2026-10-11','ZRH'),(77,55,'2024-02-02','LUG');
