CREATE TABLE route (route_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, km DOUBLE);
COMMENT ON TABLE route IS 'Lines of the lake ferry.';
INSERT INTO route VALUES (1,'Romanshorn - Friedrichshafen',11.9),(2,'Meersburg - Konstanz',4.2),(3,'Rorschach - Lindau',17.5);

CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, seats INTEGER, in_service BOOLEAN);
COMMENT ON COLUMN boat.seats IS 'seats for passengers; cars are not counted here';
INSERT INTO boat VALUES (1,'Euregia',700,TRUE),(2,'Tabor',350,TRUE),(3,'Säntis',250,TRUE),(4,'Hohentwiel',200,FALSE);

CREATE TABLE sailing (sailing_id INTEGER PRIMARY KEY, route_id INTEGER REFERENCES route(route_id), boat_id INTEGER REFERENCES boat(boat_id),
  planned_at TIMESTAMP, left_at TIMESTAMP, state VARCHAR);
COMMENT ON TABLE sailing IS 'One crossing in one direction. Times are local.';
COMMENT ON COLUMN sailing.state IS 'D = done, X = cancelled (its tickets are refunded or moved), P = planned';
COMMENT ON COLUMN sailing.left_at IS 'NULL while planned, and where it was cancelled';
INSERT INTO sailing VALUES
(1,1,1,'2026-10-04 08:00','2026-10-04 08:02','D'),(2,1,1,'2026-10-04 09:00','2026-10-04 09:11','D'),(3,1,2,'2026-10-05 08:00','2026-10-05 08:00','D'),
(4,2,2,'2026-10-04 10:00','2026-10-04 10:04','D'),(5,2,3,'2026-10-06 10:00',NULL,'X'),(6,2,3,'2026-10-11 10:00','2026-10-11 10:05','D'),
(7,3,3,'2026-10-18 14:00','2026-10-18 14:20','D'),(8,3,2,'2026-10-31 14:00','2026-10-31 14:01','D'),(9,1,1,'2026-09-30 08:00','2026-09-30 08:03','D'),
(10,2,2,'2026-11-01 08:00','2026-11-01 08:00','D'),(11,3,1,'2026-12-24 09:00',NULL,'P'),(12,2,2,'2026-10-20 10:00','2026-10-20 10:30','D');

CREATE TABLE ticket (ticket_id INTEGER PRIMARY KEY, sailing_id INTEGER REFERENCES sailing(sailing_id), customer VARCHAR, adults INTEGER, children INTEGER,
  price_rp INTEGER, refunded_rp INTEGER);
COMMENT ON TABLE ticket IS 'A sale; one ticket may be for several people.';
COMMENT ON COLUMN ticket.price_rp IS 'Rappen, VAT included; 100 Rappen are one franc';
COMMENT ON COLUMN ticket.refunded_rp IS 'Rappen given back; NULL = nothing';
INSERT INTO ticket VALUES
(1,1,'Keller',2,1,4400,NULL),(2,1,'Frei',1,0,1800,NULL),(3,2,'Keller',1,0,1800,1800),(4,3,'Ott',4,2,8400,NULL),(5,4,'Meier',2,2,3000,NULL),
(6,5,'Frei',3,0,2700,2700),(7,6,'Ott',1,1,1500,NULL),(8,7,'Keller',2,0,5200,600),(9,8,'Meier',5,0,13000,NULL),(10,9,'Ott',1,0,1800,NULL),
(11,10,'Frei',2,0,1800,NULL),(12,12,'Keller',1,3,2700,NULL),(13,6,'Frei',0,1,600,NULL);
