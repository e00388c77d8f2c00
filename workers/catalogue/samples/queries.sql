-- Revenue by month
SELECT date_trunc('month', o.ordered_at) AS month, sum(i.quantity * i.unit_price) AS revenue
FROM orders o JOIN order_items i ON i.order_id = o.order_id
WHERE o.status = 'completed' GROUP BY 1 ORDER BY 1;

-- Revenue and orders by channel
SELECT o.channel, count(DISTINCT o.order_id) AS orders, sum(i.quantity * i.unit_price) AS revenue
FROM orders o JOIN order_items i ON i.order_id = o.order_id
WHERE o.status = 'completed' GROUP BY o.channel ORDER BY revenue DESC;

-- Revenue by region of the customer
SELECT c.region, sum(i.quantity * i.unit_price) AS revenue
FROM orders o JOIN customers c ON c.customer_id = o.customer_id JOIN order_items i ON i.order_id = o.order_id
WHERE o.status = 'completed' GROUP BY c.region ORDER BY revenue DESC;

-- Ten best-selling products by revenue
SELECT p.name, sum(i.quantity) AS units, sum(i.quantity * i.unit_price) AS revenue
FROM order_items i JOIN orders o ON o.order_id = i.order_id JOIN products p ON p.product_id = i.product_id
WHERE o.status = 'completed' GROUP BY p.name ORDER BY revenue DESC LIMIT 10;

-- Average order value by month
SELECT date_trunc('month', o.ordered_at) AS month, sum(i.quantity * i.unit_price) / count(DISTINCT o.order_id) AS average_order_value
FROM orders o JOIN order_items i ON i.order_id = o.order_id
WHERE o.status = 'completed' GROUP BY 1 ORDER BY 1;

-- Return rate by category
SELECT p.category, count(r.return_id) * 1.0 / count(*) AS return_rate
FROM order_items i JOIN orders o ON o.order_id = i.order_id JOIN products p ON p.product_id = i.product_id
LEFT JOIN returns r ON r.order_id = i.order_id AND r.line = i.line
WHERE o.status = 'completed' GROUP BY p.category ORDER BY return_rate DESC;

-- Returns by reason in the last quarter of the data
SELECT r.reason, count(*) AS lines, sum(r.refund) AS refunded
FROM returns r WHERE r.returned_at >= DATE '2026-08-01' GROUP BY r.reason ORDER BY lines DESC;

-- Share of failed payments by day
SELECT CAST(o.ordered_at AS DATE) AS day, avg(CASE WHEN p.status = 'failed' THEN 1.0 ELSE 0.0 END) AS failed_share
FROM payments p JOIN orders o ON o.order_id = p.order_id GROUP BY 1 ORDER BY 1;

-- Payment methods and their amounts
SELECT p.method, count(*) AS payments, sum(p.amount) AS amount
FROM payments p WHERE p.status = 'received' GROUP BY p.method ORDER BY amount DESC;

-- New customers by month
SELECT date_trunc('month', c.signed_up) AS month, count(*) AS new_customers
FROM customers c WHERE c.signed_up >= DATE '2024-11-01' GROUP BY 1 ORDER BY 1;

-- Customers with the most orders
SELECT c.customer_id, c.name, count(*) AS orders
FROM customers c JOIN orders o ON o.customer_id = c.customer_id
WHERE o.status = 'completed' GROUP BY c.customer_id, c.name ORDER BY orders DESC, c.customer_id LIMIT 20;

-- Customers without an order
SELECT c.customer_id, c.name FROM customers c
WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id);

-- Margin by category at today's costs
SELECT p.category, sum(i.quantity * (i.unit_price - p.cost)) AS margin
FROM order_items i JOIN orders o ON o.order_id = i.order_id JOIN products p ON p.product_id = i.product_id
WHERE o.status = 'completed' GROUP BY p.category ORDER BY margin DESC;

-- Orders by weekday
SELECT isodow(o.ordered_at) AS weekday, count(*) AS orders FROM orders o GROUP BY 1 ORDER BY 1;

-- Net revenue by month: revenue less refunds
WITH sold AS (
  SELECT date_trunc('month', o.ordered_at) AS month, sum(i.quantity * i.unit_price) AS revenue
  FROM orders o JOIN order_items i ON i.order_id = o.order_id WHERE o.status = 'completed' GROUP BY 1
), refunded AS (
  SELECT date_trunc('month', r.returned_at) AS month, sum(r.refund) AS refunds FROM returns r GROUP BY 1
)
SELECT s.month, s.revenue - coalesce(f.refunds, 0) AS net_revenue FROM sold s LEFT JOIN refunded f ON f.month = s.month ORDER BY s.month;
