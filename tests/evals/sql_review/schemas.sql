-- schema: shop
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, first_name VARCHAR(40) NOT NULL, email VARCHAR(80), city VARCHAR(40), created_at TIMESTAMP NOT NULL);
CREATE TABLE stores (store_id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, opened_on DATE NOT NULL, closed_on DATE);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, category VARCHAR(20), cost NUMERIC(10,2) NOT NULL, is_perishable BOOLEAN NOT NULL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(customer_id), store_id INTEGER REFERENCES stores(store_id), ordered_at TIMESTAMP NOT NULL, status VARCHAR(20) NOT NULL CHECK (status IN ('placed', 'shipped', 'completed', 'returned')));
CREATE TABLE items (order_id INTEGER NOT NULL REFERENCES orders(order_id), product_id INTEGER NOT NULL REFERENCES products(product_id), quantity INTEGER NOT NULL, price NUMERIC(10,2) NOT NULL, discount NUMERIC(10,2), PRIMARY KEY (order_id, product_id));
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(order_id), method VARCHAR(20) NOT NULL CHECK (method IN ('card', 'transfer', 'voucher')), amount NUMERIC(10,2) NOT NULL, paid_at TIMESTAMP);
CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(order_id), amount NUMERIC(10,2) NOT NULL, refunded_at TIMESTAMP NOT NULL);
CREATE TABLE product_prices (product_id INTEGER NOT NULL REFERENCES products(product_id), valid_from DATE NOT NULL, valid_to DATE NOT NULL, price NUMERIC(10,2) NOT NULL, PRIMARY KEY (product_id, valid_from));
CREATE TABLE customer_changes (customer_id INTEGER NOT NULL, changed_at TIMESTAMP NOT NULL, op VARCHAR(1) NOT NULL CHECK (op IN ('I', 'U', 'D')), city VARCHAR(40), PRIMARY KEY (customer_id, changed_at));
CREATE TABLE events (event_id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, kind VARCHAR(20) NOT NULL CHECK (kind IN ('view', 'cart', 'buy')), event_time TIMESTAMP NOT NULL, loaded_at TIMESTAMP NOT NULL);
CREATE TABLE calendar (day DATE PRIMARY KEY, is_holiday BOOLEAN NOT NULL);
CREATE TABLE fct_events (event_id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, event_time TIMESTAMP NOT NULL);
CREATE TABLE dim_customer (customer_id INTEGER PRIMARY KEY, city VARCHAR(40), updated_at TIMESTAMP NOT NULL);
CREATE TABLE daily_orders (day DATE PRIMARY KEY, orders INTEGER NOT NULL);
CREATE TABLE stock (product_id INTEGER NOT NULL REFERENCES products(product_id), day DATE NOT NULL, on_hand INTEGER, PRIMARY KEY (product_id, day));
-- schema: tpch
CREATE TABLE region (r_regionkey INTEGER PRIMARY KEY, r_name CHAR(25) NOT NULL);
CREATE TABLE nation (n_nationkey INTEGER PRIMARY KEY, n_name CHAR(25) NOT NULL, n_regionkey INTEGER NOT NULL REFERENCES region(r_regionkey));
CREATE TABLE supplier (s_suppkey INTEGER PRIMARY KEY, s_name CHAR(25) NOT NULL, s_nationkey INTEGER NOT NULL REFERENCES nation(n_nationkey), s_acctbal DECIMAL(15,2) NOT NULL, s_comment VARCHAR(101) NOT NULL);
CREATE TABLE customer (c_custkey INTEGER PRIMARY KEY, c_name VARCHAR(25) NOT NULL, c_nationkey INTEGER NOT NULL REFERENCES nation(n_nationkey), c_phone CHAR(15) NOT NULL, c_acctbal DECIMAL(15,2) NOT NULL, c_mktsegment CHAR(10) NOT NULL);
CREATE TABLE part (p_partkey INTEGER PRIMARY KEY, p_name VARCHAR(55) NOT NULL, p_brand CHAR(10) NOT NULL, p_type VARCHAR(25) NOT NULL, p_size INTEGER NOT NULL, p_container CHAR(10) NOT NULL);
CREATE TABLE partsupp (ps_partkey INTEGER NOT NULL REFERENCES part(p_partkey), ps_suppkey INTEGER NOT NULL REFERENCES supplier(s_suppkey), ps_availqty INTEGER NOT NULL, ps_supplycost DECIMAL(15,2) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE orders (o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER NOT NULL REFERENCES customer(c_custkey), o_orderstatus CHAR(1) NOT NULL, o_totalprice DECIMAL(15,2) NOT NULL, o_orderdate DATE NOT NULL, o_orderpriority CHAR(15) NOT NULL, o_comment VARCHAR(79) NOT NULL);
CREATE TABLE lineitem (l_orderkey INTEGER NOT NULL REFERENCES orders(o_orderkey), l_partkey INTEGER NOT NULL REFERENCES part(p_partkey), l_suppkey INTEGER NOT NULL REFERENCES supplier(s_suppkey), l_linenumber INTEGER NOT NULL, l_quantity DECIMAL(15,2) NOT NULL, l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL, l_tax DECIMAL(15,2) NOT NULL, l_returnflag CHAR(1) NOT NULL, l_linestatus CHAR(1) NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL, l_receiptdate DATE NOT NULL, l_shipmode CHAR(10) NOT NULL, PRIMARY KEY (l_orderkey, l_linenumber));
-- schema: tpcds
CREATE TABLE date_dim (d_date_sk INTEGER PRIMARY KEY, d_date DATE NOT NULL, d_year INTEGER NOT NULL, d_moy INTEGER NOT NULL, d_qoy INTEGER NOT NULL, d_day_name CHAR(9) NOT NULL);
CREATE TABLE item (i_item_sk INTEGER PRIMARY KEY, i_item_id CHAR(16) NOT NULL, i_category CHAR(50), i_brand_id INTEGER, i_current_price DECIMAL(7,2), i_manufact_id INTEGER);
CREATE TABLE customer_address (ca_address_sk INTEGER PRIMARY KEY, ca_state CHAR(2), ca_zip CHAR(10));
CREATE TABLE customer (c_customer_sk INTEGER PRIMARY KEY, c_customer_id CHAR(16) NOT NULL, c_current_addr_sk INTEGER REFERENCES customer_address(ca_address_sk), c_birth_year INTEGER);
CREATE TABLE store (s_store_sk INTEGER PRIMARY KEY, s_store_id CHAR(16) NOT NULL, s_store_name VARCHAR(50), s_state CHAR(2));
CREATE TABLE store_sales (ss_sold_date_sk INTEGER REFERENCES date_dim(d_date_sk), ss_item_sk INTEGER NOT NULL REFERENCES item(i_item_sk), ss_customer_sk INTEGER REFERENCES customer(c_customer_sk), ss_store_sk INTEGER REFERENCES store(s_store_sk), ss_ticket_number INTEGER NOT NULL, ss_quantity INTEGER, ss_ext_sales_price DECIMAL(7,2), ss_net_profit DECIMAL(7,2), PRIMARY KEY (ss_item_sk, ss_ticket_number));
CREATE TABLE store_returns (sr_returned_date_sk INTEGER REFERENCES date_dim(d_date_sk), sr_item_sk INTEGER NOT NULL REFERENCES item(i_item_sk), sr_customer_sk INTEGER REFERENCES customer(c_customer_sk), sr_ticket_number INTEGER NOT NULL, sr_store_sk INTEGER REFERENCES store(s_store_sk), sr_return_amt DECIMAL(7,2), PRIMARY KEY (sr_item_sk, sr_ticket_number));
CREATE TABLE web_sales (ws_sold_date_sk INTEGER REFERENCES date_dim(d_date_sk), ws_item_sk INTEGER NOT NULL REFERENCES item(i_item_sk), ws_bill_customer_sk INTEGER REFERENCES customer(c_customer_sk), ws_order_number INTEGER NOT NULL, ws_quantity INTEGER, ws_ext_sales_price DECIMAL(7,2), PRIMARY KEY (ws_item_sk, ws_order_number));
CREATE TABLE inventory (inv_date_sk INTEGER NOT NULL REFERENCES date_dim(d_date_sk), inv_item_sk INTEGER NOT NULL REFERENCES item(i_item_sk), inv_quantity_on_hand INTEGER, PRIMARY KEY (inv_date_sk, inv_item_sk));
-- schema: clinic
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL, born_on DATE NOT NULL, region VARCHAR(20), deleted_at TIMESTAMP);
CREATE TABLE doctors (doctor_id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL, ward VARCHAR(20) NOT NULL);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients(patient_id), doctor_id INTEGER REFERENCES doctors(doctor_id), started_at TIMESTAMP NOT NULL, ended_at TIMESTAMP, fee NUMERIC(10,2));
CREATE TABLE diagnoses (visit_id INTEGER NOT NULL REFERENCES visits(visit_id), code VARCHAR(8) NOT NULL, is_main BOOLEAN NOT NULL, PRIMARY KEY (visit_id, code));
CREATE TABLE readings (patient_id INTEGER NOT NULL REFERENCES patients(patient_id), taken_at TIMESTAMP NOT NULL, pulse INTEGER, device VARCHAR(10) NOT NULL, PRIMARY KEY (patient_id, taken_at));
CREATE TABLE rates (currency VARCHAR(3) NOT NULL, day DATE NOT NULL, rate NUMERIC(12,6) NOT NULL, PRIMARY KEY (currency, day));
CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, visit_id INTEGER NOT NULL REFERENCES visits(visit_id), currency VARCHAR(3) NOT NULL, amount NUMERIC(10,2) NOT NULL, issued_on DATE NOT NULL, paid_on DATE);
CREATE TABLE ward_days (ward VARCHAR(20) NOT NULL, day DATE NOT NULL, visits INTEGER NOT NULL, fees NUMERIC(12,2), PRIMARY KEY (ward, day));
CREATE TABLE patient_history (patient_id INTEGER NOT NULL, region VARCHAR(20), valid_from DATE NOT NULL, valid_to DATE NOT NULL, PRIMARY KEY (patient_id, valid_from));
-- schema: freight
CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, country VARCHAR(2) NOT NULL, closed_on DATE);
CREATE TABLE trucks (truck_id INTEGER PRIMARY KEY, depot_id INTEGER REFERENCES depots(depot_id), capacity_kg INTEGER NOT NULL, retired BOOLEAN NOT NULL);
CREATE TABLE trips (trip_id INTEGER PRIMARY KEY, truck_id INTEGER NOT NULL REFERENCES trucks(truck_id), departed_at TIMESTAMP NOT NULL, arrived_at TIMESTAMP, distance_km NUMERIC(8,1), state VARCHAR(10) NOT NULL CHECK (state IN ('planned', 'running', 'done', 'void')));
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, trip_id INTEGER REFERENCES trips(trip_id), weight_kg NUMERIC(8,2) NOT NULL, insured NUMERIC(10,2), sent_at TIMESTAMP NOT NULL);
CREATE TABLE scans (parcel_id INTEGER NOT NULL REFERENCES parcels(parcel_id), scanned_at TIMESTAMP NOT NULL, place VARCHAR(20) NOT NULL, kind VARCHAR(10) NOT NULL CHECK (kind IN ('in', 'out', 'lost')), PRIMARY KEY (parcel_id, scanned_at));
CREATE TABLE tolls (trip_id INTEGER NOT NULL REFERENCES trips(trip_id), gate INTEGER NOT NULL, cents INTEGER NOT NULL, PRIMARY KEY (trip_id, gate));
CREATE TABLE fuel_prices (country VARCHAR(2) NOT NULL, day DATE NOT NULL, price NUMERIC(6,3) NOT NULL, PRIMARY KEY (country, day));
CREATE TABLE depot_days (depot_id INTEGER NOT NULL, day DATE NOT NULL, trips INTEGER NOT NULL, PRIMARY KEY (depot_id, day));
CREATE TABLE parcel_states (parcel_id INTEGER PRIMARY KEY, place VARCHAR(20) NOT NULL, seen_at TIMESTAMP NOT NULL);
CREATE TABLE all_scans (parcel_id INTEGER NOT NULL, scanned_at TIMESTAMP NOT NULL, place VARCHAR(20) NOT NULL, PRIMARY KEY (parcel_id, scanned_at));
-- schema: plans
CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, country VARCHAR(2), created_on DATE NOT NULL, is_test BOOLEAN NOT NULL);
CREATE TABLE subscriptions (subscription_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id), plan VARCHAR(10) NOT NULL CHECK (plan IN ('free', 'pro', 'team')), started_on DATE NOT NULL, ended_on DATE, seats INTEGER NOT NULL);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, subscription_id INTEGER NOT NULL REFERENCES subscriptions(subscription_id), billed_on DATE NOT NULL, amount NUMERIC(10,2) NOT NULL, voided_at TIMESTAMP);
CREATE TABLE bill_lines (bill_id INTEGER NOT NULL REFERENCES bills(bill_id), line INTEGER NOT NULL, amount NUMERIC(10,2) NOT NULL, tax NUMERIC(10,2), PRIMARY KEY (bill_id, line));
CREATE TABLE logins (login_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id), at TIMESTAMP NOT NULL, device VARCHAR(10));
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts(account_id), opened_at TIMESTAMP NOT NULL, closed_at TIMESTAMP, score INTEGER);
CREATE TABLE months (month DATE PRIMARY KEY);
CREATE TABLE account_facts (account_id INTEGER PRIMARY KEY, bills INTEGER NOT NULL, amount NUMERIC(12,2) NOT NULL);
