"""Which system a reply says that the incident is about: "this is MySQL, we have no consumer groups here", 问错系统了."""

import re

_NAMES = (
    "mysql|mariadb|percona|postgres(?:ql)?|pgbouncer|oracle|sql server|mssql|db2|sybase|sqlite|tidb|oceanbase|gaussdb|polardb|"
    "cockroachdb|"
    "mongodb|mongo|redis|memcached|doris|starrocks|greenplum|impala|debezium|nifi|teradata|vertica|hana|cassandra|scylladb|dynamodb|couchbase|neo4j|influxdb|prometheus|clickhouse|snowflake|bigquery|"
    "redshift|"
    "trino|presto|hive|hdfs|hadoop|hbase|spark|flink|airflow|dbt|kafka|rabbitmq|pulsar|activemq|zookeeper|etcd|consul|vault|"
    "elasticsearch|"
    "opensearch|logstash|kibana|solr|kubernetes|k8s|docker|nginx|haproxy|envoy|apache|tomcat|jenkins|gitlab|ceph|minio|达梦|人大金仓"
)
_PRODUCT = re.compile(_NAMES, re.IGNORECASE)
_WORD = re.compile(rf"(?<![A-Za-z0-9])(?:{_NAMES})(?![A-Za-z0-9])", re.IGNORECASE)
_IS = re.compile(
    rf"(?:\b(?:this|it|that|ours?|we) (?:is|are|run|use|have|are on|are running|are using)(?: (?:a|an|on|only|all|plain))? |"
    rf"\b(?:it'?s|we'?re on) |"
    rf"(?:这|这里|这个|这边|我们)(?:用的)?(?:都)?(?:是|用)的?\s*)(?P<name>{_NAMES})\b",
    re.IGNORECASE,
)
_HAVE_NOT = re.compile(
    rf"\b(?:we|i|there) (?:do not|don'?t|are not|aren'?t|is|have) (?:have|use|run|no)(?: any)? (?:{_NAMES})\b|\bno (?:{_NAMES}) here\b|"
    rf"\bnot (?:a |an |on )?(?:{_NAMES})\b|(?:没有|没用|不用|不是)\s*(?:{_NAMES})",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:wrong|different|another) (?:system|product|database|db|component|cluster|stack)\b|\bnot (?:our|my|this|"
    r"the right) (?:system|product|database|stack)\b|"
    r"问错(?:系统|了|地方)|(?:系统|产品|组件)(?:不对|错了)|不是(?:这个|我们的)系统|(?:别的|其他|另一个)(?:系统|产品)的问题",
    re.IGNORECASE,
)


def is_product(word: str) -> bool:
    """Whether a word is the name of a known product."""
    return _PRODUCT.fullmatch(word) is not None


def products_in(text: str) -> tuple[str, ...]:
    """The known products that a text names, and does not say to be missing."""
    return tuple(dict.fromkeys(found[0] for found in _WORD.finditer(_HAVE_NOT.sub(" ", text))))


def system_named(text: str) -> str:
    """The system that the user says theirs is; empty where it names no known one."""
    found = _IS.search(text)
    return found["name"] if found else ""


def says_system(text: str) -> bool:
    """Whether a piece of prose says which system it is, or which not, and so is no observation."""
    return any(pattern.search(text) for pattern in (_IS, _HAVE_NOT, _WRONG))


def is_wrong_system(text: str, items: tuple[str, ...]) -> bool:
    """Whether the reply says that these items are about another system: by saying it, or by naming its own where no item has that
    name, or by having none of what they name."""
    if _WRONG.search(text) or _HAVE_NOT.search(text):
        return True
    named = system_named(text).casefold()
    return bool(named) and not any(named in item.casefold() for item in items)
