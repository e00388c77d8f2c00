CREATE TABLE vessels (vessel_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, seats INTEGER NOT NULL, lane_m INTEGER NOT NULL);
CREATE TABLE routes (route_code VARCHAR PRIMARY KEY, origin VARCHAR NOT NULL, destination VARCHAR NOT NULL, distance_nm DECIMAL(6,1) NOT NULL);
CREATE TABLE sailings (sailing_id INTEGER PRIMARY KEY, route_code VARCHAR NOT NULL REFERENCES routes, vessel_id INTEGER NOT NULL REFERENCES vessels, departs_at TIMESTAMP NOT NULL, arrives_at TIMESTAMP, status VARCHAR NOT NULL);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, sailing_id INTEGER NOT NULL REFERENCES sailings, booked_at TIMESTAMP NOT NULL, channel VARCHAR NOT NULL, passengers INTEGER NOT NULL, cars INTEGER NOT NULL, price DECIMAL(10,2) NOT NULL, state VARCHAR NOT NULL);
CREATE TABLE checkins (checkin_id INTEGER PRIMARY KEY, booking_id INTEGER NOT NULL REFERENCES bookings, checked_in_at TIMESTAMP NOT NULL, desk VARCHAR NOT NULL);
COMMENT ON TABLE vessels IS 'Ships of the line';
COMMENT ON TABLE sailings IS 'Sailings by timetable';
COMMENT ON COLUMN sailings.status IS 'scheduled, sailed or cancelled';
COMMENT ON COLUMN sailings.arrives_at IS 'null until it has arrived';
COMMENT ON TABLE bookings IS 'Bookings of passengers and cars on a sailing';
COMMENT ON COLUMN bookings.state IS 'open, paid or refunded';
COMMENT ON COLUMN bookings.price IS 'EUR';
COMMENT ON TABLE checkins IS 'Check-ins at the terminal';
INSERT INTO vessels SELECT i, ['Aurelia', 'Bora', 'Cormorant', 'Dunlin'][i], [320, 180, 450, 90][i], [600, 300, 900, 0][i] FROM range(1, 5) t(i);
INSERT INTO routes VALUES ('KE-OS', 'Keld', 'Osby', 34.5), ('KE-TA', 'Keld', 'Tarn', 12.0), ('OS-TA', 'Osby', 'Tarn', 27.8), ('TA-KE', 'Tarn', 'Keld', 12.0), ('OS-KE', 'Osby', 'Keld', 34.5);
INSERT INTO sailings SELECT i, ['KE-OS', 'KE-TA', 'OS-TA', 'TA-KE', 'OS-KE'][1 + (i * 3) % 5], 1 + i % 4, d, CASE WHEN s = 'sailed' THEN d + INTERVAL 95 MINUTE END, s
FROM (SELECT i, ['sailed', 'sailed', 'sailed', 'cancelled', 'sailed', 'scheduled'][1 + (i * 5) % 6] AS s, TIMESTAMP '2025-01-02 07:15:00' + INTERVAL 1 HOUR * (i * 31) AS d FROM range(1, 91) t(i));
INSERT INTO bookings SELECT i, 1 + (i * 17) % 86, TIMESTAMP '2024-12-01 09:20:00' + INTERVAL 1 HOUR * ((i * 13) % 2600), ['web', 'app', 'desk', 'web'][1 + i % 4], (i * 7) % 6, i % 3, 18 + (i * 23) % 140 + 0.5, ['paid', 'paid', 'refunded', 'paid', 'open'][1 + (i * 3) % 5] FROM range(1, 361) t(i);
INSERT INTO checkins SELECT row_number() OVER (ORDER BY booking_id), booking_id, booked_at + INTERVAL 3 DAY, ['A', 'B', 'C'][1 + booking_id % 3] FROM bookings WHERE state = 'paid' AND booking_id % 4 > 0;
