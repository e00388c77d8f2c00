"""Requirements in prose on schemas of our own, in English and Chinese, with the query whose rows they should give."""

# ruff: noqa: E501 requirements as users write them, and rows

from contracts.tables import ColumnDetail, ForeignKey, TableDetail


def _table(name: str, columns: str, key: str = "", refers: tuple[tuple[str, str, str], ...] = (), description: str = "") -> TableDetail:
    """`columns`: `name type|comment;name type|comment`."""
    details: list[ColumnDetail] = []
    for part in columns.split(";"):
        head, _, comment = part.partition("|")
        label, type_ = head.split(" ", 1)
        details.append(ColumnDetail(name=label, type=type_, description=comment))
    keys = tuple(ForeignKey(columns=(column,), table=other, references=(to,)) for column, other, to in refers)
    return TableDetail(
        name=name, columns=tuple(details), primary_key=(key,) if key else (), foreign_keys=keys, description=description
    )  # fmt: skip


SCHEMAS: dict[str, tuple[tuple[TableDetail, ...], tuple[str, ...]]] = {
    "clinic": (
        (
            _table(
                "doctors",
                "doctor_id INTEGER|number of the doctor;name VARCHAR|name;ward VARCHAR|ward where the doctor works",
                "doctor_id",
                (),
                "doctors 医生",
            ),
            _table(
                "patients",
                "patient_id INTEGER|number of the patient;name VARCHAR|name 姓名;born DATE|date of birth;city VARCHAR|home city 城市",
                "patient_id",
                (),
                "patients 患者",
            ),
            _table(
                "visits",
                "visit_id INTEGER|number;patient_id INTEGER|patient;doctor_id INTEGER|doctor;visited_at TIMESTAMP|time of the visit 就诊时间;kind VARCHAR|checkup, urgent or surgery 类型;fee DECIMAL(10,2)|fee of the visit in euro 费用;state VARCHAR|done, missed or cancelled 状态",
                "visit_id",
                (("patient_id", "patients", "patient_id"), ("doctor_id", "doctors", "doctor_id")),
                "visits of patients 就诊",
            ),
        ),
        (
            "CREATE TABLE doctors AS SELECT i AS doctor_id, 'Dr ' || chr((64+i)::INTEGER) AS name, ['north','south','east'][1+i%3] AS ward FROM range(1,7) t(i)",
            "CREATE TABLE patients AS SELECT i AS patient_id, 'P' || i AS name, DATE '1950-01-01' + (i*700)::INTEGER AS born, ['Oslo','Bergen',NULL][1+i%3] AS city FROM range(1,16) t(i)",
            "CREATE TABLE visits AS SELECT i AS visit_id, 1+(i*7)%13 AS patient_id, 1+(i*5)%5 AS doctor_id, TIMESTAMP '2025-01-03 08:00:00' + to_hours((i*53)::INTEGER) AS visited_at, ['checkup','urgent','surgery'][1+(i*i)%3] AS kind, ((i*37)%200)::DECIMAL(10,2) AS fee, ['done','done','missed','cancelled'][1+(i*3)%4] AS state FROM range(1,121) t(i)",
        ),
    ),
    "parcels": (
        (
            _table(
                "depots",
                "depot_code VARCHAR|code of the depot;city VARCHAR|city 城市;opened DATE|opened on",
                "depot_code",
                (),
                "depots 仓库",
            ),
            _table(
                "parcels",
                "parcel_id INTEGER|number;depot_code VARCHAR|depot that sent it;weight_kg DECIMAL(8,2)|weight 重量;sent_on DATE|day of sending 发出日期;delivered_on DATE|day of delivery, null while on the way 送达日期;service VARCHAR|express or standard 服务",
                "parcel_id",
                (("depot_code", "depots", "depot_code"),),
                "parcels 包裹",
            ),
            _table(
                "scans",
                "scan_id INTEGER|number;parcel_id INTEGER|parcel;scanned_at TIMESTAMP|time of the scan;place VARCHAR|where",
                "scan_id",
                (("parcel_id", "parcels", "parcel_id"),),
                "scans of parcels 扫描记录",
            ),
        ),
        (
            "CREATE TABLE depots AS SELECT ['A1','B2','C3','D4'][i] AS depot_code, ['Lyon','Metz','Lyon','Nice'][i] AS city, DATE '2020-01-01' + i::INTEGER AS opened FROM range(1,5) t(i)",
            "CREATE TABLE parcels AS SELECT i AS parcel_id, ['A1','B2','C3'][1+(i*2)%3] AS depot_code, ((i*13)%40 + 0.5)::DECIMAL(8,2) AS weight_kg, DATE '2025-03-01' + ((i*3)%25)::INTEGER AS sent_on, CASE WHEN i%5=0 THEN NULL ELSE DATE '2025-03-01' + ((i*3)%25 + i%6)::INTEGER END AS delivered_on, ['express','standard'][1+i%2] AS service FROM range(1,81) t(i)",
            "CREATE TABLE scans AS SELECT i AS scan_id, 1+(i*11)%79 AS parcel_id, TIMESTAMP '2025-03-01 00:00:00' + to_minutes(((i*97)%30000)::INTEGER) AS scanned_at, ['hub','van','door'][1+i%3] AS place FROM range(1,301) t(i)",
        ),
    ),
    "meters": (
        (
            _table(
                "meters",
                "meter_id INTEGER|number of the meter 表号;street VARCHAR|street 街道;tariff VARCHAR|day, night or flat 资费",
                "meter_id",
                (),
                "meters 电表",
            ),
            _table(
                "readings",
                "meter_id INTEGER|meter 表号;read_on DATE|day of the reading 抄表日期;kwh DECIMAL(10,2)|energy used that day 用电量",
                "",
                (("meter_id", "meters", "meter_id"),),
                "daily readings, one row a meter and day 抄表记录",
            ),
            _table(
                "tariff_prices",
                "tariff VARCHAR|day, night or flat;valid_from DATE|from this day on;price DECIMAL(8,4)|price of a kwh in euro",
                "",
                (),
                "prices of tariffs 电价",
            ),
            _table(
                "meter_events",
                "event_id INTEGER|number;meter_id INTEGER|meter;event VARCHAR|on, off or fault;noted_at TIMESTAMP|time",
                "event_id",
                (("meter_id", "meters", "meter_id"),),
                "events of meters 事件",
            ),
        ),
        (
            "CREATE TABLE meters AS SELECT i AS meter_id, 'S' || (i%3) AS street, ['day','night','flat'][1+i%3] AS tariff FROM range(1,8) t(i)",
            "CREATE TABLE readings AS SELECT m AS meter_id, DATE '2025-01-28' + d::INTEGER AS read_on, ((m*17+d*5)%30 + 1)::DECIMAL(10,2) AS kwh FROM range(1,7) a(m), range(0,40) b(d) WHERE (m+d)%7 <> 0",
            "CREATE TABLE tariff_prices AS SELECT * FROM (VALUES ('day', DATE '2025-01-30', 0.3000), ('day', DATE '2025-02-15', 0.3500), ('night', DATE '2025-01-01', 0.2000), ('night', DATE '2025-03-01', 0.2200)) t(tariff, valid_from, price)",
            "CREATE TABLE meter_events AS SELECT i AS event_id, 1+(i*5)%7 AS meter_id, ['on','off','fault'][1+(i*i)%3] AS event, TIMESTAMP '2025-02-01 00:00:00' + to_hours(((i*31)%200)::INTEGER) AS noted_at FROM range(1,41) t(i)",
        ),
    ),
    "forum": (
        (
            _table(
                "members",
                "member_id INTEGER|number;nick VARCHAR|nickname 昵称;joined_on DATE|joined 加入日期;country VARCHAR|country 国家",
                "member_id",
                (),
                "members 会员",
            ),
            _table(
                "posts_2023",
                "post_id INTEGER|number;member_id INTEGER|author;posted_on DATE|day;topic VARCHAR|topic 主题;words INTEGER|length in words 字数",
                "post_id",
                (("member_id", "members", "member_id"),),
                "posts of 2023",
            ),
            _table(
                "posts_2024",
                "post_id INTEGER|number;member_id INTEGER|author;posted_on DATE|day;topic VARCHAR|topic 主题;words INTEGER|length in words 字数",
                "post_id",
                (("member_id", "members", "member_id"),),
                "posts of 2024",
            ),
            _table(
                "profile_changes",
                "change_no INTEGER|order of arrival;member_id INTEGER|member;email VARCHAR|e-mail;plan VARCHAR|free or paid;updated_at TIMESTAMP|time of the change",
                "",
                (("member_id", "members", "member_id"),),
                "changes of profiles, append only 资料变更流水",
            ),
        ),
        (
            "CREATE TABLE members AS SELECT i AS member_id, 'n' || i AS nick, DATE '2022-01-01' + (i*20)::INTEGER AS joined_on, ['fr','de','it'][1+i%3] AS country FROM range(1,13) t(i)",
            "CREATE TABLE posts_2023 AS SELECT i AS post_id, 1+(i*5)%9 AS member_id, DATE '2023-01-05' + ((i*9)%350)::INTEGER AS posted_on, ['sql','art','food','trains'][1+(i*7)%4] AS topic, (i*31)%300 AS words FROM range(1,61) t(i)",
            "CREATE TABLE posts_2024 AS SELECT 1000+i AS post_id, 1+(i*7)%11 AS member_id, DATE '2024-01-02' + ((i*13)%360)::INTEGER AS posted_on, ['sql','art','food','trains'][1+(i*3)%4] AS topic, (i*17)%300 AS words FROM range(1,81) t(i)",
            "CREATE TABLE profile_changes AS SELECT i AS change_no, 1+(i*3)%10 AS member_id, CASE WHEN i%6=0 THEN NULL ELSE 'm'||i||'@x' END AS email, ['free','paid'][1+i%2] AS plan, TIMESTAMP '2024-05-01' + to_hours(((i*7)%50)::INTEGER) AS updated_at FROM range(1,61) t(i)",
        ),
    ),
    "lib": (
        (
            _table(
                "branches",
                "branch_id INTEGER|number;branch VARCHAR|name of the branch 分馆;district VARCHAR|district 城区",
                "branch_id",
                (),
                "branches of the library 分馆",
            ),
            _table(
                "readers",
                "reader_id INTEGER|number;full_name VARCHAR|name 姓名;grp VARCHAR|child, adult or senior 读者类型;joined_on DATE|day of joining 注册日期",
                "reader_id",
                (),
                "readers 读者",
            ),
            _table(
                "loans",
                "loan_id INTEGER|number;reader_id INTEGER|reader;branch_id INTEGER|branch;taken_on DATE|day of the loan 借出日期;returned_on DATE|null until it is back 归还日期;fine DECIMAL(8,2)|fine in euro 罚款",
                "loan_id",
                (("reader_id", "readers", "reader_id"), ("branch_id", "branches", "branch_id")),
                "loans of books 借阅",
            ),
        ),
        (
            "CREATE TABLE branches AS SELECT i AS branch_id, 'B'||i AS branch, ['East','West'][1+i%2] AS district FROM range(1,6) t(i)",
            "CREATE TABLE readers AS SELECT i AS reader_id, 'R'||i AS full_name, ['child','adult','senior'][1+i%3] AS grp, DATE '2020-01-01'+(i*11)::INTEGER AS joined_on FROM range(1,21) t(i)",
            "CREATE TABLE loans AS SELECT i AS loan_id, 1+(i*7)%17 AS reader_id, 1+(i*3)%4 AS branch_id, DATE '2025-05-01'+((i*5)%70)::INTEGER AS taken_on, CASE WHEN i%7=0 THEN NULL ELSE DATE '2025-05-01'+((i*5)%70+i%20)::INTEGER END AS returned_on, ((i*i)%9)::DECIMAL(8,2) AS fine FROM range(1,151) t(i)",
        ),
    ),
    "bake": (
        (
            _table("shops", "shop_no INTEGER|number;town VARCHAR|town 城镇", "shop_no", (), "shops 门店"),
            _table(
                "items",
                "item_code VARCHAR|code;label VARCHAR|label 品名;family VARCHAR|bread, cake or drink 品类;unit_cost DECIMAL(8,2)|cost of one 成本",
                "item_code",
                (),
                "items that are sold 商品",
            ),
            _table(
                "receipt_lines",
                "line_id INTEGER|number;shop_no INTEGER|shop;item_code VARCHAR|item;sold_at TIMESTAMP|time of the sale 销售时间;pieces INTEGER|pieces 件数;price DECIMAL(8,2)|price of one 单价;channel VARCHAR|counter or online 渠道",
                "line_id",
                (("shop_no", "shops", "shop_no"), ("item_code", "items", "item_code")),
                "lines of receipts 销售明细",
            ),
            _table(
                "price_list",
                "item_code VARCHAR|item;starts_on DATE|from this day on;list_price DECIMAL(8,2)|list price",
                "",
                (),
                "list prices 价目表",
            ),
            _table(
                "stock_log",
                "entry INTEGER|order of entry;shop_no INTEGER|shop;item_code VARCHAR|item;on_hand INTEGER|pieces on hand 库存;counted_at TIMESTAMP|time of the count 盘点时间",
                "entry",
                (("shop_no", "shops", "shop_no"), ("item_code", "items", "item_code")),
                "counts of stock 盘点",
            ),
        ),
        (
            "CREATE TABLE shops AS SELECT i AS shop_no, ['Ulm','Bonn','Ulm','Kiel'][i] AS town FROM range(1,5) t(i)",
            "CREATE TABLE items AS SELECT 'I'||i AS item_code, 'label '||i AS label, ['bread','cake','drink'][1+i%3] AS family, (i*0.4)::DECIMAL(8,2) AS unit_cost FROM range(1,10) t(i)",
            "CREATE TABLE receipt_lines AS SELECT i AS line_id, 1+(i*5)%3 AS shop_no, 'I'||(1+(i*7)%8) AS item_code, TIMESTAMP '2025-01-02 07:00:00'+to_hours(((i*29)%3500)::INTEGER) AS sold_at, 1+i%4 AS pieces, ((i*13)%20+1)::DECIMAL(8,2) AS price, ['counter','online','counter'][1+i%3] AS channel FROM range(1,201) t(i)",
            "CREATE TABLE price_list AS SELECT * FROM (VALUES ('I1',DATE '2025-01-10',2.0),('I1',DATE '2025-03-01',2.5),('I2',DATE '2024-12-01',3.0),('I3',DATE '2025-02-01',1.2),('I4',DATE '2024-01-01',9.9),('I4',DATE '2025-02-15',8.8)) t(item_code,starts_on,list_price)",
            "CREATE TABLE stock_log AS SELECT i AS entry, 1+(i*3)%3 AS shop_no, 'I'||(1+(i*5)%6) AS item_code, (i*17)%50 AS on_hand, TIMESTAMP '2025-01-01'+to_hours(((i*19)%60)::INTEGER) AS counted_at FROM range(1,91) t(i)",
        ),
    ),
    "sch": (
        (
            _table(
                "pupils",
                "pupil_id INTEGER|number;name VARCHAR|name 姓名;form VARCHAR|form 班级;born_on DATE|birthday",
                "pupil_id",
                (),
                "pupils 学生",
            ),
            _table(
                "teachers",
                "teacher_id INTEGER|number;name VARCHAR|name 姓名;subject VARCHAR|maths, music or sport 科目",
                "teacher_id",
                (),
                "teachers 教师",
            ),
            _table(
                "marks",
                "mark_id INTEGER|number;pupil_id INTEGER|pupil;teacher_id INTEGER|teacher;given_on DATE|day 评分日期;points INTEGER|0 to 15 分数;kind VARCHAR|oral or written 类型",
                "mark_id",
                (("pupil_id", "pupils", "pupil_id"), ("teacher_id", "teachers", "teacher_id")),
                "marks of pupils 成绩",
            ),
            _table(
                "absences",
                "absence_id INTEGER|number;pupil_id INTEGER|pupil;day DATE|day of absence 缺勤日期;excused VARCHAR|yes or no 是否请假",
                "absence_id",
                (("pupil_id", "pupils", "pupil_id"),),
                "absences 缺勤",
            ),
        ),
        (
            "CREATE TABLE pupils AS SELECT i AS pupil_id, 'P'||i AS name, ['5a','5b','6a'][1+i%3] AS form, DATE '2012-01-01'+(i*40)::INTEGER AS born_on FROM range(1,19) t(i)",
            "CREATE TABLE teachers AS SELECT i AS teacher_id, 'T'||i AS name, ['maths','music','sport'][1+i%3] AS subject FROM range(1,6) t(i)",
            "CREATE TABLE marks AS SELECT i AS mark_id, 1+(i*7)%16 AS pupil_id, 1+(i*3)%4 AS teacher_id, DATE '2025-01-07'+((i*5)%120)::INTEGER AS given_on, (i*11)%16 AS points, ['oral','written'][1+(i*i)%2] AS kind FROM range(1,141) t(i)",
            "CREATE TABLE absences AS SELECT i AS absence_id, 1+(i*5)%14 AS pupil_id, DATE '2025-01-07'+((i*3)%100)::INTEGER AS day, ['yes','no'][1+i%2] AS excused FROM range(1,51) t(i)",
        ),
    ),
    "fleet": (
        (
            _table("vans", "van_id INTEGER|number;plate VARCHAR|plate 车牌;base VARCHAR|home base 基地", "van_id", (), "vans 车辆"),
            _table(
                "trips",
                "trip_id INTEGER|number;van_id INTEGER|van;started_at TIMESTAMP|start of the trip 出发时间;km DECIMAL(8,1)|distance 里程;cost DECIMAL(8,2)|cost in euro 费用;status VARCHAR|finished, aborted or planned 状态",
                "trip_id",
                (("van_id", "vans", "van_id"),),
                "trips of vans 行程",
            ),
            _table(
                "fuel_north",
                "fill_id INTEGER|number;van_id INTEGER|van;filled_on DATE|day 加油日期;litres DECIMAL(8,2)|litres 升数",
                "fill_id",
                (("van_id", "vans", "van_id"),),
                "fuel fills in the north",
            ),
            _table(
                "fuel_south",
                "fill_id INTEGER|number;van_id INTEGER|van;filled_on DATE|day 加油日期;litres DECIMAL(8,2)|litres 升数",
                "fill_id",
                (("van_id", "vans", "van_id"),),
                "fuel fills in the south",
            ),
            _table(
                "van_drivers", "van_id INTEGER|van;since DATE|from this day on;driver VARCHAR|driver", "", (), "who drives a van 驾驶记录"
            ),
        ),
        (
            "CREATE TABLE vans AS SELECT i AS van_id, 'PL'||i AS plate, ['Lund','Ystad'][1+i%2] AS base FROM range(1,8) t(i)",
            "CREATE TABLE trips AS SELECT i AS trip_id, 1+(i*5)%6 AS van_id, TIMESTAMP '2025-02-01 06:00:00'+to_hours(((i*41)%2600)::INTEGER) AS started_at, ((i*7)%90)::DECIMAL(8,1) AS km, ((i*3)%50)::DECIMAL(8,2) AS cost, ['finished','finished','aborted','planned'][1+i%4] AS status FROM range(1,161) t(i)",
            "CREATE TABLE fuel_north AS SELECT i AS fill_id, 1+i%3 AS van_id, DATE '2025-02-01'+((i*4)%60)::INTEGER AS filled_on, (20+i%15)::DECIMAL(8,2) AS litres FROM range(1,31) t(i)",
            "CREATE TABLE fuel_south AS SELECT 100+i AS fill_id, 3+i%3 AS van_id, DATE '2025-02-01'+((i*5)%60)::INTEGER AS filled_on, (25+i%9)::DECIMAL(8,2) AS litres FROM range(1,31) t(i)",
            "CREATE TABLE van_drivers AS SELECT * FROM (VALUES (1,DATE '2025-02-10','Ada'),(1,DATE '2025-04-01','Bea'),(2,DATE '2025-01-01','Cleo'),(3,DATE '2025-03-03','Dan')) t(van_id,since,driver)",
        ),
    ),
}
"""Tables, and the statements that make their rows."""

CASES: tuple[tuple[str, str, str, str], ...] = (
    (
        "topn-en",
        "clinic",
        "Build top_doctors: for every ward the two doctors with the highest fees (sum of fee of their visits with state = 'done'): ward, place (1 to 2; equal fees by the smaller doctor_id), doctor_id, fees.",
        "select ward, place, doctor_id, fees from (select ward, doctor_id, fees, row_number() over (partition by ward order by fees desc, doctor_id) place from (select d.ward, d.doctor_id, sum(v.fee) fees from visits v join doctors d using(doctor_id) where v.state='done' group by 1,2)) where place<=2",
    ),
    (
        "topn-zh",
        "clinic",
        "建立 top_doctors：每个 ward 费用最高的两位医生。fees = 其 state = 'done' 的就诊的 fee 之和。列：ward、place（1 到 2，fees 相同时 doctor_id 小的在前）、doctor_id、fees。",
        "select ward, place, doctor_id, fees from (select ward, doctor_id, fees, row_number() over (partition by ward order by fees desc, doctor_id) place from (select d.ward, d.doctor_id, sum(v.fee) fees from visits v join doctors d using(doctor_id) where v.state='done' group by 1,2)) where place<=2",
    ),
    (
        "pivot-en",
        "clinic",
        "Build patient_kinds, one row per patient: patient_id, name, and the number of visits of each kind as columns checkups (kind checkup), urgents (kind urgent) and surgeries (kind surgery). Patients without visits get zeros.",
        "select p.patient_id, p.name, count(*) filter (kind='checkup'), count(*) filter (kind='urgent'), count(*) filter (kind='surgery') from patients p left join visits v using(patient_id) group by all",
    ),
    (
        "pivot-zh",
        "clinic",
        "建立 patient_kinds，每位患者一行：patient_id；name；checkups（kind 为 checkup 的就诊数）；urgents（kind 为 urgent 的就诊数）；surgeries（kind 为 surgery 的就诊数）。没有就诊的患者各项为 0。",
        "select p.patient_id, p.name, count(*) filter (kind='checkup'), count(*) filter (kind='urgent'), count(*) filter (kind='surgery') from patients p left join visits v using(patient_id) group by all",
    ),
    (
        "cond-en",
        "clinic",
        "Build ward_month, one row per ward and month of the visit: ward; month (first day of the month); visits (number of visits that are not cancelled); missed (number of visits that were missed); fees (total fee of visits that are done).",
        "select ward, date_trunc('month', visited_at)::date m, count(*) filter (state<>'cancelled'), count(*) filter (state='missed'), sum(fee) filter (state='done') from visits join doctors using(doctor_id) group by 1,2",
    ),
    (
        "ratio-en",
        "clinic",
        "Build doctor_rates, one row per doctor: doctor_id; visits (number of visits); missed_share (missed visits divided by all visits, null when there are none).",
        "select d.doctor_id, count(visit_id), case when count(visit_id)=0 then null else count(*) filter (state='missed')*1.0/count(visit_id) end from doctors d left join visits using(doctor_id) group by 1",
    ),
    (
        "ratio-zh",
        "clinic",
        "建立 doctor_rates，每位医生一行：doctor_id；visits（就诊数）；missed_share（state 为 missed 的就诊数除以 visits，没有就诊时为空）。",
        "select d.doctor_id, count(visit_id), case when count(visit_id)=0 then null else count(*) filter (state='missed')*1.0/count(visit_id) end from doctors d left join visits using(doctor_id) group by 1",
    ),
    (
        "running-en",
        "clinic",
        "Build fees_running, one row per day on which there were done visits: day, fees (sum of fee of the done visits), total_so_far (running total of fees from the first day on).",
        "select day, fees, sum(fees) over (order by day) from (select visited_at::date as day, sum(fee) fees from visits where state='done' group by 1)",
    ),
    (
        "running-zh",
        "clinic",
        "建立 fees_running：state 为 done 的就诊按天汇总，每天一行。列：day、fees（fee 之和）、total_so_far（fees 从第一天起的累计）。",
        "select day, fees, sum(fees) over (order by day) from (select visited_at::date as day, sum(fee) fees from visits where state='done' group by 1)",
    ),
    (
        "pop-en",
        "clinic",
        "Build monthly_fees by month: month, fees (sum of fee of all visits), previous_fees (fees of the month before) and change (fees minus previous_fees).",
        "select month, fees, lag(fees) over (order by month), fees - lag(fees) over (order by month) from (select date_trunc('month', visited_at)::date as month, sum(fee) fees from visits group by 1)",
    ),
    (
        "pop-zh",
        "clinic",
        "按月建立 monthly_fees：month、fees（全部就诊的 fee 之和）、previous_fees（上个月的 fees）、change（fees 减 previous_fees）。",
        "select month, fees, lag(fees) over (order by month), fees - lag(fees) over (order by month) from (select date_trunc('month', visited_at)::date as month, sum(fee) fees from visits group by 1)",
    ),
    (
        "latest-en",
        "forum",
        "Build member_profile from profile_changes: for each member the latest row by updated_at; when two have the same updated_at, the one with the higher change_no wins. Columns: member_id, email, plan, updated_at.",
        "select member_id, email, plan, updated_at from profile_changes qualify row_number() over (partition by member_id order by updated_at desc, change_no desc)=1",
    ),
    (
        "latest-zh",
        "forum",
        "从 profile_changes 建立 member_profile：每个会员保留 updated_at 最新的一条，updated_at 相同时取 change_no 较大的。列：member_id、email、plan、updated_at。",
        "select member_id, email, plan, updated_at from profile_changes qualify row_number() over (partition by member_id order by updated_at desc, change_no desc)=1",
    ),
    (
        "union-en",
        "forum",
        "Build all_posts: all rows of posts_2023 and posts_2024 together, with post_id, member_id, posted_on and words.",
        "select post_id, member_id, posted_on, words from posts_2023 union all select post_id, member_id, posted_on, words from posts_2024",
    ),
    (
        "union-zh",
        "forum",
        "建立 all_posts：把 posts_2023 和 posts_2024 的全部行合并在一起，列为 post_id、member_id、posted_on、words。",
        "select post_id, member_id, posted_on, words from posts_2023 union all select post_id, member_id, posted_on, words from posts_2024",
    ),
    (
        "unionagg-en",
        "forum",
        "Build topic_posts from posts_2023 and posts_2024 together, one row per topic: topic; posts (number of posts); words (sum of words).",
        "select topic, count(*), sum(words) from (select topic, words from posts_2023 union all select topic, words from posts_2024) group by 1",
    ),
    (
        "unionagg-zh",
        "forum",
        "把 posts_2023 和 posts_2024 合并后建立 topic_posts，每个 topic 一行：topic；posts（行数）；words（words 之和）。",
        "select topic, count(*), sum(words) from (select topic, words from posts_2023 union all select topic, words from posts_2024) group by 1",
    ),
    (
        "spine-en",
        "meters",
        "Build meter_days for every meter in readings and every day from 2025-02-01 to 2025-02-28: meter_id, day, kwh (0 on a day without a reading).",
        "select m.meter_id, d.day::date, coalesce(sum(r.kwh),0) from (select distinct meter_id from readings) m cross join generate_series(date '2025-02-01', date '2025-02-28', interval 1 day) d(day) left join readings r on r.meter_id=m.meter_id and r.read_on=d.day group by 1,2",
    ),
    (
        "spine-zh",
        "meters",
        "为 readings 中的每个电表、2025-02-01 到 2025-02-28 的每一天建立 meter_days：meter_id、day、kwh（没有抄表的日子为 0）。",
        "select m.meter_id, d.day::date, coalesce(sum(r.kwh),0) from (select distinct meter_id from readings) m cross join generate_series(date '2025-02-01', date '2025-02-28', interval 1 day) d(day) left join readings r on r.meter_id=m.meter_id and r.read_on=d.day group by 1,2",
    ),
    (
        "moving-en",
        "meters",
        "Build meter_week for every meter in readings and every calendar day from 2025-02-01 to 2025-02-20: meter_id, day, kwh (0 without a reading) and mean_7d = the mean kwh of that day and the six days before it within the period.",
        "select meter_id, day, kwh, avg(kwh) over (partition by meter_id order by day rows 6 preceding) from (select m.meter_id, d.day::date as day, coalesce(sum(r.kwh),0) kwh from (select distinct meter_id from readings) m cross join generate_series(date '2025-02-01', date '2025-02-20', interval 1 day) d(day) left join readings r on r.meter_id=m.meter_id and r.read_on=d.day group by 1,2)",
    ),
    (
        "moving-zh",
        "meters",
        "为 readings 中的每个电表、2025-02-01 到 2025-02-20 的每个自然日建立 meter_week：meter_id、day、kwh（没有抄表则为 0），以及 mean_7d = 当天与之前六天（限于该时段内）的平均 kwh。",
        "select meter_id, day, kwh, avg(kwh) over (partition by meter_id order by day rows 6 preceding) from (select m.meter_id, d.day::date as day, coalesce(sum(r.kwh),0) kwh from (select distinct meter_id from readings) m cross join generate_series(date '2025-02-01', date '2025-02-20', interval 1 day) d(day) left join readings r on r.meter_id=m.meter_id and r.read_on=d.day group by 1,2)",
    ),
    (
        "asof-en",
        "meters",
        "Build reading_cost: all readings with meter_id, read_on, kwh, price and cost (kwh times price). Use the tariff_prices row of the meter's tariff with the latest valid_from on or before read_on. Readings without any price stay in, with null price and null cost.",
        "select r.meter_id, r.read_on, r.kwh, p.price, r.kwh*p.price from readings r join meters m using(meter_id) asof left join tariff_prices p on p.tariff=m.tariff and p.valid_from<=r.read_on",
    ),
    (
        "asof-zh",
        "meters",
        "建立 reading_cost：全部抄表记录的 meter_id、read_on、kwh、price、cost（kwh 乘 price）。取该电表 tariff 在 read_on 当日或之前最近一次 valid_from 的电价。之前没有任何电价的抄表记录也要保留，price 与 cost 为空。",
        "select r.meter_id, r.read_on, r.kwh, p.price, r.kwh*p.price from readings r join meters m using(meter_id) asof left join tariff_prices p on p.tariff=m.tariff and p.valid_from<=r.read_on",
    ),
    (
        "anti-en",
        "meters",
        "Build quiet_meters: meter_id and street of all meters that have no reading in February 2025.",
        "select meter_id, street from meters m where not exists (select 1 from readings r where r.meter_id=m.meter_id and read_on>='2025-02-01' and read_on<'2025-03-01')",
    ),
    (
        "anti-zh",
        "meters",
        "建立 quiet_meters：2025年2月没有抄表记录的电表的 meter_id 和 street。",
        "select meter_id, street from meters m where not exists (select 1 from readings r where r.meter_id=m.meter_id and read_on>='2025-02-01' and read_on<'2025-03-01')",
    ),
    (
        "derive-en",
        "parcels",
        "Build parcel_times, one row per delivered parcel: parcel_id, city (of the depot), service, days (days from sent_on to delivered_on).",
        "select parcel_id, city, service, delivered_on - sent_on from parcels join depots using(depot_code) where delivered_on is not null",
    ),
    (
        "derive-zh",
        "parcels",
        "建立 parcel_times，每个已送达（delivered_on 不为空）的包裹一行：parcel_id、city（仓库的城市）、service、days（从 sent_on 到 delivered_on 的天数）。",
        "select parcel_id, city, service, delivered_on - sent_on from parcels join depots using(depot_code) where delivered_on is not null",
    ),
    (
        "depot-en",
        "parcels",
        "Build depot_facts, one row for every depot: depot_code; city; parcels (number of parcels); express_kg and standard_kg (total weight of parcels by service express and service standard); scans (number of scans of its parcels). Depots without parcels have zeros.",
        "select d.depot_code, d.city, (select count(*) from parcels p where p.depot_code=d.depot_code), coalesce((select sum(weight_kg) from parcels p where p.depot_code=d.depot_code and service='express'),0), coalesce((select sum(weight_kg) from parcels p where p.depot_code=d.depot_code and service='standard'),0), (select count(*) from scans s join parcels p using(parcel_id) where p.depot_code=d.depot_code) from depots d",
    ),
    (
        "depot-zh",
        "parcels",
        "建立 depot_facts，每个仓库一行：depot_code；city；parcels（包裹数）；express_kg 与 standard_kg（包裹的 weight_kg 之和，分别为 express 和 standard）；scans（其包裹的扫描记录数）。没有包裹的仓库各项为 0。",
        "select d.depot_code, d.city, (select count(*) from parcels p where p.depot_code=d.depot_code), coalesce((select sum(weight_kg) from parcels p where p.depot_code=d.depot_code and service='express'),0), coalesce((select sum(weight_kg) from parcels p where p.depot_code=d.depot_code and service='standard'),0), (select count(*) from scans s join parcels p using(parcel_id) where p.depot_code=d.depot_code) from depots d",
    ),
    (
        "share-en",
        "parcels",
        "Build city_share: for each city of the depot, the number of parcels sent in March 2025 and its share of all parcels of that month in percent. Columns: city, parcels, share.",
        "select city, count(*), 100.0*count(*)/sum(count(*)) over () from parcels join depots using(depot_code) where sent_on>='2025-03-01' and sent_on<'2025-04-01' group by 1",
    ),
    (
        "share-zh",
        "parcels",
        "建立 city_share：按仓库的 city 统计 2025 年 3 月发出的包裹数及其占该月全部包裹的百分比。列：city、parcels、share。",
        "select city, count(*), 100.0*count(*)/sum(count(*)) over () from parcels join depots using(depot_code) where sent_on>='2025-03-01' and sent_on<'2025-04-01' group by 1",
    ),
    (
        "group_month-en",
        "lib",
        "We need loans_by_month, one row per branch and month in which there were loans: branch, month, loans (number of loans), readers (number of different readers), fines (total fine).",
        "select branch, date_trunc('month',taken_on)::date, count(*), count(distinct reader_id), sum(fine) from loans join branches using(branch_id) group by 1,2",
    ),
    (
        "group_month-zh",
        "lib",
        "请建立 loans_by_month，每个 branch 每月一行：branch；month（借出日期所在月的第一天）；loans（借阅数）；readers（不同读者数）；fines（罚款合计）。",
        "select branch, date_trunc('month',taken_on)::date, count(*), count(distinct reader_id), sum(fine) from loans join branches using(branch_id) group by 1,2",
    ),
    (
        "open_loans-en",
        "lib",
        "Make open_loans: loan_id, full_name of the reader, branch and taken_on of all loans that have not been returned.",
        "select loan_id, full_name, branch, taken_on from loans join readers using(reader_id) join branches using(branch_id) where returned_on is null",
    ),
    (
        "open_loans-zh",
        "lib",
        "建立 open_loans：尚未归还（returned_on 为空）的借阅的 loan_id、读者姓名 full_name、branch、taken_on。",
        "select loan_id, full_name, branch, taken_on from loans join readers using(reader_id) join branches using(branch_id) where returned_on is null",
    ),
    (
        "grp_pivot-en",
        "lib",
        "Build branch_groups, one row for every branch: branch_id; district; children (loans of readers with grp child); adults (loans of readers with grp adult); seniors (loans of readers with grp senior). Branches without loans have zeros.",
        "select b.branch_id, district, count(*) filter (grp='child'), count(*) filter (grp='adult'), count(*) filter (grp='senior') from branches b left join (loans join readers using(reader_id)) l using(branch_id) group by 1,2",
    ),
    (
        "grp_pivot-zh",
        "lib",
        "建立 branch_groups，每个分馆一行：branch_id；district；children（读者类型为 child 的借阅数）；adults（读者类型为 adult 的借阅数）；seniors（读者类型为 senior 的借阅数）。没有借阅的分馆各项为 0。",
        "select b.branch_id, district, count(*) filter (grp='child'), count(*) filter (grp='adult'), count(*) filter (grp='senior') from branches b left join (loans join readers using(reader_id)) l using(branch_id) group by 1,2",
    ),
    (
        "late-en",
        "lib",
        "Build reader_late, one row for each reader: reader_id, late_share (loans with returned_on more than 14 days after taken_on divided by all loans), first_loan (earliest taken_on).",
        "select reader_id, count(*) filter (returned_on-taken_on>14)*1.0/nullif(count(loan_id),0), min(taken_on) from readers left join loans using(reader_id) group by 1",
    ),
    (
        "never-en",
        "lib",
        "Keep a table idle_readers with reader_id and joined_on of readers who have never had a loan in June 2025.",
        "select reader_id, joined_on from readers r where not exists (select 1 from loans l where l.reader_id=r.reader_id and taken_on between '2025-06-01' and '2025-06-30')",
    ),
    (
        "never-zh",
        "lib",
        "建立 idle_readers：2025 年 6 月没有任何借阅的读者的 reader_id 和 joined_on。",
        "select reader_id, joined_on from readers r where not exists (select 1 from loans l where l.reader_id=r.reader_id and taken_on between '2025-06-01' and '2025-06-30')",
    ),
    (
        "days-en",
        "lib",
        "Build branch_days for each branch_id in loans and each day from 2025-05-01 to 2025-05-31: branch_id, day, loans (number of loans, 0 if none).",
        "select b.branch_id, d.day::date, count(l.loan_id) from (select distinct branch_id from loans) b cross join generate_series(date '2025-05-01', date '2025-05-31', interval 1 day) d(day) left join loans l on l.branch_id=b.branch_id and l.taken_on=d.day group by 1,2",
    ),
    (
        "days-zh",
        "lib",
        "为 loans 中的每个 branch_id、2025-05-01 到 2025-05-31 的每一天建立 branch_days：branch_id、day、loans（借阅数，没有则为 0）。",
        "select b.branch_id, d.day::date, count(l.loan_id) from (select distinct branch_id from loans) b cross join generate_series(date '2025-05-01', date '2025-05-31', interval 1 day) d(day) left join loans l on l.branch_id=b.branch_id and l.taken_on=d.day group by 1,2",
    ),
    (
        "margin-en",
        "bake",
        "Build family_sales per family and channel: family; channel; turnover (sum of pieces * price); margin (sum of pieces * (price - unit_cost)); margin_rate (margin divided by turnover).",
        "select family, channel, sum(pieces*price), sum(pieces*(price-unit_cost)), sum(pieces*(price-unit_cost))/sum(pieces*price) from receipt_lines join items using(item_code) group by 1,2",
    ),
    (
        "margin-zh",
        "bake",
        "按 family 和 channel 建立 family_sales：family；channel；turnover（pieces * price 之和）；margin（pieces *（price 减 unit_cost）之和）；margin_rate（margin 除以 turnover）。",
        "select family, channel, sum(pieces*price), sum(pieces*(price-unit_cost)), sum(pieces*(price-unit_cost))/sum(pieces*price) from receipt_lines join items using(item_code) group by 1,2",
    ),
    (
        "cum-en",
        "bake",
        "Build town_weeks, one row per town and week: town, week, turnover (sum of pieces times price), turnover_so_far (running total of turnover), last_week (turnover of the previous week).",
        "with t as (select town, date_trunc('week',sold_at)::date w, sum(pieces*price) x from receipt_lines join shops using(shop_no) group by 1,2) select t.town,t.w,t.x,sum(t.x) over (partition by t.town order by t.w), p.x from t left join t p on p.town=t.town and p.w=t.w-7",
    ),
    (
        "cum-zh",
        "bake",
        "建立 town_weeks，每个 town 每周一行：town、week、turnover（pieces 乘 price 之和）、turnover_so_far（turnover 的累计）、last_week（上周的 turnover）。",
        "with t as (select town, date_trunc('week',sold_at)::date w, sum(pieces*price) x from receipt_lines join shops using(shop_no) group by 1,2) select t.town,t.w,t.x,sum(t.x) over (partition by t.town order by t.w), p.x from t left join t p on p.town=t.town and p.w=t.w-7",
    ),
    (
        "stock-en",
        "bake",
        "From stock_log build stock_now: for each shop_no and item_code keep the most recent row by counted_at (ties: the higher entry), with shop_no, item_code, on_hand, counted_at.",
        "select shop_no,item_code,on_hand,counted_at from stock_log qualify row_number() over (partition by shop_no,item_code order by counted_at desc, entry desc)=1",
    ),
    (
        "stock-zh",
        "bake",
        "从 stock_log 建立 stock_now：每个 shop_no 和 item_code 保留 counted_at 最新的一条，counted_at 相同时取 entry 较大的。列：shop_no、item_code、on_hand、counted_at。",
        "select shop_no,item_code,on_hand,counted_at from stock_log qualify row_number() over (partition by shop_no,item_code order by counted_at desc, entry desc)=1",
    ),
    (
        "listp-en",
        "bake",
        "Build line_prices: line_id, item_code, price, list_price and off (list_price minus price) for all receipt_lines. Take the price_list entry of the item with the latest starts_on on or before sold_at. Lines without one keep null.",
        "select line_id, r.item_code, price, list_price, list_price-price from receipt_lines r asof left join price_list p on p.item_code=r.item_code and p.starts_on<=r.sold_at",
    ),
    (
        "listp-zh",
        "bake",
        "建立 line_prices：全部销售明细的 line_id、item_code、price、list_price、off（list_price 减 price）。取该商品在 sold_at 当日或之前最近一次 starts_on 的价目表。",
        "select line_id, r.item_code, price, list_price, list_price-price from receipt_lines r asof left join price_list p on p.item_code=r.item_code and p.starts_on<=r.sold_at",
    ),
    (
        "pct-en",
        "bake",
        "Build channel_share by month: month, pieces (sum of pieces), online_pieces (sum of pieces where channel = 'online'), online_percent (100 * online_pieces / pieces).",
        "select date_trunc('month',sold_at)::date, sum(pieces), sum(pieces) filter (channel='online'), 100.0*sum(pieces) filter (channel='online')/sum(pieces) from receipt_lines group by 1",
    ),
    (
        "pct-zh",
        "bake",
        "按月建立 channel_share：month、pieces（pieces 之和）、online_pieces（channel 为 online 的 pieces 之和）、online_percent（100 * online_pieces / pieces）。",
        "select date_trunc('month',sold_at)::date, sum(pieces), sum(pieces) filter (channel='online'), 100.0*sum(pieces) filter (channel='online')/sum(pieces) from receipt_lines group by 1",
    ),
    (
        "costly-zh",
        "bake",
        "建立 big_lines：件数不少于 3 且渠道为 online 的销售明细的 line_id、商品的品名 label、town、value（pieces 乘 price）。",
        "select line_id,label,town,pieces*price from receipt_lines join items using(item_code) join shops using(shop_no) where pieces>=3 and channel='online'",
    ),
    (
        "topfam-en",
        "bake",
        "Build top_items: for every family the two items with the highest turnover (sum of pieces * price): family, place (1 to 2), item_code, turnover.",
        "select family, place, item_code, t from (select family,item_code,sum(pieces*price) t, row_number() over (partition by family order by sum(pieces*price) desc, item_code) place from receipt_lines join items using(item_code) group by 1,2) where place<=2",
    ),
    (
        "topfam-zh",
        "bake",
        "建立 top_items：每个 family 的 turnover 最高的两个商品。turnover = 其销售明细的 pieces * price 之和。列：family、place（1 到 2）、item_code、turnover。",
        "select family, place, item_code, t from (select family,item_code,sum(pieces*price) t, row_number() over (partition by family order by sum(pieces*price) desc, item_code) place from receipt_lines join items using(item_code) group by 1,2) where place<=2",
    ),
    (
        "pupil-zh",
        "sch",
        "建立 pupil_report，每个学生一行：pupil_id、name、form、average_points（类型为 written 的成绩的平均分数）、absences（excused 为 no 的缺勤数）。",
        "select p.pupil_id, p.name, p.form, (select avg(points) from marks m where m.pupil_id=p.pupil_id and kind='written'), (select count(*) from absences a where a.pupil_id=p.pupil_id and excused='no') from pupils p",
    ),
    (
        "form_subj-en",
        "sch",
        "Produce form_subjects by form and subject: form, subject, marks (number of marks), pupils (number of different pupils), best (highest points).",
        "select form, subject, count(*), count(distinct pupil_id), max(points) from marks join pupils using(pupil_id) join teachers using(teacher_id) group by 1,2",
    ),
    (
        "form_subj-zh",
        "sch",
        "按 form 和 subject 建立 form_subjects：form、subject、marks（成绩数）、pupils（不同学生数）、best（最高分数）。",
        "select form, subject, count(*), count(distinct pupil_id), max(points) from marks join pupils using(pupil_id) join teachers using(teacher_id) group by 1,2",
    ),
    (
        "best-en",
        "sch",
        "Build best_pupils: for each form the three pupils with the highest total (sum of points of their marks): form, place (1 to 3; ties by the smaller pupil_id), pupil_id, name, total.",
        "select form, pl, pupil_id, name, t from (select form, pupil_id, name, sum(points) t, row_number() over (partition by form order by sum(points) desc, pupil_id) pl from marks join pupils using(pupil_id) group by 1,2,3) where pl<=3",
    ),
    (
        "best-zh",
        "sch",
        "建立 best_pupils：每个 form 的 total 最高的三名学生。total = 其成绩的 points 之和。列：form、place（1 到 3，total 相同时 pupil_id 小的在前）、pupil_id、name、total。",
        "select form, pl, pupil_id, name, t from (select form, pupil_id, name, sum(points) t, row_number() over (partition by form order by sum(points) desc, pupil_id) pl from marks join pupils using(pupil_id) group by 1,2,3) where pl<=3",
    ),
    (
        "absent_share-en",
        "sch",
        "Make form_absences per form: form, absences (number of absences), percent (percentage of all absences).",
        "select form, count(*), 100.0*count(*)/sum(count(*)) over () from absences join pupils using(pupil_id) group by 1",
    ),
    (
        "absent_share-zh",
        "sch",
        "建立 form_absences，每个 form 一行：form、absences（缺勤数）、percent（占全部缺勤的百分比）。",
        "select form, count(*), 100.0*count(*)/sum(count(*)) over () from absences join pupils using(pupil_id) group by 1",
    ),
    (
        "silent-zh",
        "sch",
        "建立 silent_pupils：2025 年 3 月没有 oral 成绩的学生的 pupil_id、name。",
        "select pupil_id, name from pupils p where not exists (select 1 from marks m where m.pupil_id=p.pupil_id and kind='oral' and given_on>='2025-03-01' and given_on<'2025-04-01')",
    ),
    (
        "van_month-en",
        "fleet",
        "Build base_months, one row per base and month: base, month, km (total km of finished trips), cost_per_km (total cost of finished trips divided by km), change (change of km from the previous month).",
        "with t as (select base, date_trunc('month',started_at)::date m, sum(km) km, sum(cost) c from trips join vans using(van_id) where status='finished' group by 1,2) select t.base,t.m,t.km,t.c/t.km, t.km-p.km from t left join t p on p.base=t.base and p.m=t.m - interval 1 month",
    ),
    (
        "van_month-zh",
        "fleet",
        "建立 base_months，每个 base 每月一行：base、month、km（状态为 finished 的行程的 km 之和）、cost_per_km（状态为 finished 的行程的 cost 之和除以 km）、change（km 较上月的变化）。",
        "with t as (select base, date_trunc('month',started_at)::date m, sum(km) km, sum(cost) c from trips join vans using(van_id) where status='finished' group by 1,2) select t.base,t.m,t.km,t.c/t.km, t.km-p.km from t left join t p on p.base=t.base and p.m=t.m - interval 1 month",
    ),
    (
        "fuel-zh",
        "fleet",
        "把 fuel_north 和 fuel_south 合并后建立 van_fuel，每个 van_id 一行：van_id、fills（行数）、litres（litres 之和）。",
        "select van_id, count(*), sum(litres) from (select * from fuel_north union all select * from fuel_south) group by 1",
    ),
    (
        "driver-en",
        "fleet",
        "Build trip_drivers: trip_id, van_id, started_at and driver for all finished trips. Use the van_drivers row of the van with the latest since on or before started_at. Trips without one have null.",
        "select trip_id, t.van_id, started_at, driver from trips t asof left join van_drivers d on d.van_id=t.van_id and d.since<=t.started_at where status='finished'",
    ),
    (
        "driver-zh",
        "fleet",
        "建立 trip_drivers：状态为 finished 的行程的 trip_id、van_id、started_at、driver。取该车辆在 started_at 当日或之前最近一次 since 的驾驶记录。",
        "select trip_id, t.van_id, started_at, driver from trips t asof left join van_drivers d on d.van_id=t.van_id and d.since<=t.started_at where status='finished'",
    ),
    (
        "vans_days-en",
        "fleet",
        "Build van_days for every van_id in trips and every day from 2025-02-01 to 2025-02-28: van_id, day, trips (number of trips, 0 if none), km (sum of km, 0 if none).",
        "select v.van_id, d.day::date, count(t.trip_id), coalesce(sum(km),0) from (select distinct van_id from trips) v cross join generate_series(date '2025-02-01', date '2025-02-28', interval 1 day) d(day) left join trips t on t.van_id=v.van_id and t.started_at::date=d.day group by 1,2",
    ),
    (
        "vans_days-zh",
        "fleet",
        "为 trips 中的每个 van_id、2025-02-01 到 2025-02-28 的每一天建立 van_days：van_id、day、trips（行程数，没有则为 0）、km（km 之和，没有则为 0）。",
        "select v.van_id, d.day::date, count(t.trip_id), coalesce(sum(km),0) from (select distinct van_id from trips) v cross join generate_series(date '2025-02-01', date '2025-02-28', interval 1 day) d(day) left join trips t on t.van_id=v.van_id and t.started_at::date=d.day group by 1,2",
    ),
    (
        "parts-en",
        "parcels",
        "Build service_scans, one row per service: service, parcels (number of parcels), scans (number of scans of those parcels), weight (sum of weight_kg).",
        "select service, count(*), sum((select count(*) from scans s where s.parcel_id=p.parcel_id)), sum(weight_kg) from parcels p group by 1",
    ),
    (
        "over_parents-en",
        "lib",
        "Build branch_fines, one row per branch: branch_id; child_fines (sum of fine over child readers, 0 if none).",
        "select b.branch_id, coalesce(sum(fine) filter (grp='child'),0) from branches b left join loans using(branch_id) left join readers using(reader_id) group by 1",
    ),
    (
        "also_without-en",
        "lib",
        "Build reader_facts, one row per reader, also for readers without loans: reader_id, branch_loans (number of loans), last (latest taken_on).",
        "select r.reader_id, count(loan_id), max(taken_on) from readers r left join loans using(reader_id) group by 1",
    ),
    (
        "latest_thing-en",
        "sch",
        "Build last_mark: for each pupil the latest mark by given_on, if there are several on that day the one with the higher mark_id. Columns: pupil_id, mark_id, points.",
        "select pupil_id, mark_id, points from marks qualify row_number() over (partition by pupil_id order by given_on desc, mark_id desc)=1",
    ),
    (
        "never-zh",
        "lib",
        "建立 idle_readers：2025 年 6 月没有借过任何借阅的读者，列为 reader_id、full_name。",
        "select reader_id, full_name from readers r where not exists (select 1 from loans l where l.reader_id=r.reader_id and taken_on>='2025-06-01' and taken_on<'2025-07-01')",
    ),
    (
        "ratio_of_counts-en",  # `visits / number` was once taken for the visits, and the divisor was lost
        "clinic",
        "Build ward_misses, one row per ward: ward; missed_pct (number of missed visits / number of visits * 100).",
        "select ward, count(*) filter (state='missed')*100.0/count(*) from visits join doctors using(doctor_id) group by 1",
    ),
)
"""Name, schema, requirement, query."""
