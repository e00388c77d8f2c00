"""The fields of a ticket by their further names, in the files that people import."""

ALIASES = {
    "ticket_id": ("id", "ticket", "ticket_no", "工单号", "工单编号", "编号"),
    "description": ("problem", "描述", "问题描述"),
    "root_cause": ("cause", "root_causes", "causes", "根因", "根本原因", "原因"),
    "solution": ("resolution", "fix", "解决方案", "处理方案", "解决办法"),
    "metadata": ("元数据",),
    "anomalies": ("phenomena", "symptoms", "现象", "异常", "异常现象"),
}
"""Field → further names, in English and Chinese. docs/diagnose.md lists them."""
