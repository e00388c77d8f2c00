"""Chinese names of columns and rows that are put together of known words: 发货优先级 is `ship priority`, 客户号 is `customer key`."""

# ruff: noqa: E501 a field of words a line

from functools import cache
from itertools import product

from workers.engines.questions.chinese_words import LEXICON

_WORDS: dict[str, tuple[str, ...]] = {
    word: tuple(english.split("/"))
    for english, words in {
        "date/day/time": "日|日期|时间", "key/id/number/no/code": "号|编号|号码|编码", "name": "名|名称|名字", "price": "价|价格", "total": "总|合计",
        "line/item": "行|明细", "quantity/qty/pieces": "数量|件数", "amount/value": "金额|额|价值", "mode/method/type": "方式|方法", "segment/market segment": "细分市场",
        "commit/committed/promised/due": "承诺|约定|应到", "receipt/received/receive": "收货|收到|到货|签收", "ship/shipped/shipping/shipment": "发货|出货|装运",
        "order/ordered": "订单|下单|订购|订货", "supply/supplied": "供货|供应|采购", "available/avail": "可用", "cost": "成本", "stock/inventory": "库存",
        "nation/country": "国家|国", "balance": "余额", "account/acct": "账户|账号", "return/returned": "退货|退回", "flag": "标志|标记", "status/state": "状态",
        "extended/list/gross": "原|毛", "discount": "折扣|优惠", "tax": "税|税率", "priority": "优先级", "clerk": "店员|经办人", "size": "尺寸|规格", "retail": "零售",
        "unit": "单位", "first": "首次|首", "last": "末次|最近", "open/opened": "开户|开业|开通", "close/closed": "关闭|销户", "due": "到期", "paid/payment/pay": "付款|支付|缴费",
        "created/create": "创建|建立", "updated/update": "更新|修改", "birth": "出生", "hire/hired": "入职", "begin/start": "开始|起始", "end": "结束|截止",
    }.items()
    for word in words.split("|")
}  # fmt: skip
_MOST_PARTS = 3
_MOST = 60


@cache
def english_of(chinese: str) -> frozenset[str]:
    """The English names that a Chinese one may stand for, word by word; empty where a part of it is not known."""
    return frozenset(" ".join(words) for parts in _splits(chinese, _MOST_PARTS) for words in list(product(*map(_known, parts)))[:_MOST])


def _known(word: str) -> tuple[str, ...]:
    further = tuple(LEXICON[word].split("/")) if word in LEXICON else ()
    return tuple(dict.fromkeys((*_WORDS.get(word, ()), *further)))


def _splits(text: str, most: int) -> list[list[str]]:
    whole = [[text]] if _known(text) else []
    if most == 1:
        return whole
    return whole + [
        [text[:place], *rest] for place in range(1, len(text)) if _known(text[:place]) for rest in _splits(text[place:], most - 1)
    ]
