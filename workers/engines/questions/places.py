"""Places and other values by their other names: `California` where the data have `CA`, 德国 where they have `DE` or `Germany`."""

# ruff: noqa: E501 lists of words

from collections.abc import Iterator

_STATES = """Alabama AL 阿拉巴马|Alaska AK 阿拉斯加|Arizona AZ 亚利桑那|Arkansas AR 阿肯色|California CA 加利福尼亚,加州|Colorado CO 科罗拉多|Connecticut CT 康涅狄格|Delaware DE 特拉华
|Florida FL 佛罗里达|Georgia GA 佐治亚|Hawaii HI 夏威夷|Idaho ID 爱达荷|Illinois IL 伊利诺伊|Indiana IN 印第安纳|Iowa IA 艾奥瓦|Kansas KS 堪萨斯|Kentucky KY 肯塔基
|Louisiana LA 路易斯安那|Maine ME 缅因|Maryland MD 马里兰|Massachusetts MA 马萨诸塞|Michigan MI 密歇根|Minnesota MN 明尼苏达|Mississippi MS 密西西比|Missouri MO 密苏里
|Montana MT 蒙大拿|Nebraska NE 内布拉斯加|Nevada NV 内华达|New_Hampshire NH 新罕布什尔|New_Jersey NJ 新泽西|New_Mexico NM 新墨西哥|New_York NY 纽约|North_Carolina NC 北卡罗来纳
|North_Dakota ND 北达科他|Ohio OH 俄亥俄|Oklahoma OK 俄克拉荷马|Oregon OR 俄勒冈|Pennsylvania PA 宾夕法尼亚|Rhode_Island RI 罗得岛|South_Carolina SC 南卡罗来纳|South_Dakota SD 南达科他
|Tennessee TN 田纳西|Texas TX 得克萨斯,德州,德克萨斯|Utah UT 犹他|Vermont VT 佛蒙特|Virginia VA 弗吉尼亚|Washington WA 华盛顿|West_Virginia WV 西弗吉尼亚|Wisconsin WI 威斯康星|Wyoming WY 怀俄明
|Ontario ON 安大略|Quebec QC 魁北克|British_Columbia BC 不列颠哥伦比亚|Alberta AB 阿尔伯塔|Manitoba MB 曼尼托巴|Nova_Scotia NS 新斯科舍
|New_South_Wales NSW 新南威尔士|Queensland QLD 昆士兰"""
_COUNTRIES = """United_States,United_States_of_America,America,the_US,U.S. US,USA 美国|United_Kingdom,Great_Britain,Britain GB,UK,GBR 英国|Germany DE,DEU 德国|France FR,FRA 法国|Italy IT,ITA 意大利
|Spain ES,ESP 西班牙|Portugal PT,PRT 葡萄牙|Netherlands,Holland NL,NLD 荷兰|Belgium BE,BEL 比利时|Switzerland CH,CHE 瑞士|Austria AT,AUT 奥地利|Poland PL,POL 波兰|Czech_Republic,Czechia CZ,CZE 捷克
|Sweden SE,SWE 瑞典|Norway NO,NOR 挪威|Denmark DK,DNK 丹麦|Finland FI,FIN 芬兰|Ireland IE,IRL 爱尔兰|Greece GR,GRC 希腊|Hungary HU,HUN 匈牙利|Romania RO,ROU 罗马尼亚|Russia RU,RUS 俄罗斯
|Ukraine UA,UKR 乌克兰|Turkey,Türkiye TR,TUR 土耳其|China CN,CHN 中国|Japan JP,JPN 日本|South_Korea,Korea KR,KOR 韩国|India IN,IND 印度|Indonesia ID,IDN 印度尼西亚,印尼|Thailand TH,THA 泰国
|Vietnam VN,VNM 越南|Malaysia MY,MYS 马来西亚|Singapore SG,SGP 新加坡|Philippines PH,PHL 菲律宾|Australia AU,AUS 澳大利亚,澳洲|New_Zealand NZ,NZL 新西兰|Canada CA,CAN 加拿大|Mexico MX,MEX 墨西哥
|Brazil BR,BRA 巴西|Argentina AR,ARG 阿根廷|Chile CL,CHL 智利|Colombia CO,COL 哥伦比亚|Peru PE,PER 秘鲁|Egypt EG,EGY 埃及|South_Africa ZA,ZAF 南非|Nigeria NG,NGA 尼日利亚|Kenya KE,KEN 肯尼亚
|Israel IL,ISR 以色列|Saudi_Arabia SA,SAU 沙特阿拉伯,沙特|United_Arab_Emirates AE,ARE,UAE 阿联酋|Pakistan PK,PAK 巴基斯坦|Bangladesh BD,BGD 孟加拉国|Nepal NP,NPL 尼泊尔|Iceland IS,ISL 冰岛"""
_DEMONYMS = """American America|British Britain|English Britain|German Germany|French France|Italian Italy|Spanish Spain|Portuguese Portugal|Dutch Netherlands|Belgian Belgium|Swiss Switzerland|Austrian Austria
|Polish Poland|Czech Czechia|Swedish Sweden|Norwegian Norway|Danish Denmark|Finnish Finland|Irish Ireland|Greek Greece|Hungarian Hungary|Romanian Romania|Russian Russia|Ukrainian Ukraine|Turkish Turkey
|Chinese China|Japanese Japan|Korean Korea|Indian India|Indonesian Indonesia|Thai Thailand|Vietnamese Vietnam|Malaysian Malaysia|Australian Australia|Canadian Canada|Mexican Mexico|Brazilian Brazil
|Argentinian Argentina|Chilean Chile|Colombian Colombia|Egyptian Egypt|Nigerian Nigeria|Kenyan Kenya|Israeli Israel"""
_CITIES = """Beijing 北京|Shanghai 上海|Guangzhou 广州|Shenzhen 深圳|Chengdu 成都|Chongqing 重庆|Hangzhou 杭州|Wuhan 武汉|Nanjing 南京|Suzhou 苏州|Xian,Xi'an 西安|Tianjin 天津|Qingdao 青岛|Dalian 大连
|Xiamen 厦门|Changsha 长沙|Zhengzhou 郑州|Shenyang 沈阳|Harbin 哈尔滨|Kunming 昆明|Jinan 济南|Ningbo 宁波|Foshan 佛山|Dongguan 东莞|Hefei 合肥|Fuzhou 福州|Hong_Kong 香港|Taipei 台北
|New_York,New_York_City 纽约|Los_Angeles,LA 洛杉矶|San_Francisco 旧金山|San_Diego 圣迭戈,圣地亚哥|San_Jose 圣何塞|Chicago 芝加哥|Boston 波士顿|Seattle 西雅图|Houston 休斯敦,休斯顿|Dallas 达拉斯|Austin 奥斯汀
|Miami 迈阿密|Atlanta 亚特兰大|Denver 丹佛|Philadelphia 费城|Phoenix 凤凰城|Washington 华盛顿|Las_Vegas 拉斯维加斯|Portland 波特兰|Detroit 底特律|Pittsburgh 匹兹堡|London 伦敦|Paris 巴黎
|Berlin 柏林|Munich,München 慕尼黑|Hamburg 汉堡|Frankfurt 法兰克福|Vienna,Wien 维也纳|Zurich,Zürich 苏黎世|Geneva 日内瓦|Rome 罗马|Milan 米兰|Madrid 马德里|Barcelona 巴塞罗那|Lisbon 里斯本
|Amsterdam 阿姆斯特丹|Brussels 布鲁塞尔|Copenhagen 哥本哈根|Stockholm 斯德哥尔摩|Oslo 奥斯陆|Helsinki 赫尔辛基|Moscow 莫斯科|Istanbul 伊斯坦布尔|Dubai 迪拜|Tokyo 东京|Osaka 大阪|Kyoto 京都
|Seoul 首尔|Singapore 新加坡|Bangkok 曼谷|Sydney 悉尼|Melbourne 墨尔本|Toronto 多伦多|Vancouver 温哥华|Montreal 蒙特利尔|Mexico_City 墨西哥城|Mumbai 孟买|Delhi,New_Delhi 德里,新德里"""
_SEXES = "female,woman,women,girl,girls,F,W 女,女性,女士|male,man,men,boy,boys,M 男,男性,男士"
_COLUMNS = {
    "state": ("state", "province", "region", "area", "address", "location", "territory"),
    "country": ("country", "nation", "nationality", "region", "market", "citizenship", "origin", "location", "address"),
    "city": ("city", "town", "location", "region", "address", "place", "site", "destination", "origin", "airport"),
    "sex": ("gender", "sex"),
}  # fmt: skip
"""Words of which a column's name has one when its values are of this sort."""


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    for row in text.replace("\n", "").split("|"):
        yield tuple(name.replace("_", " ") for part in row.split() for name in part.split(","))


_Names = dict[str, list[tuple[str, tuple[str, ...]]]]


def _by_name() -> _Names:
    made: _Names = {}
    for sort, text in (("state", _STATES), ("country", _COUNTRIES), ("city", _CITIES), ("sex", _SEXES)):
        for names in _rows(text):
            for name in names:
                made.setdefault(name.lower(), []).append((sort, names))
                if sort == "state" and not name.isascii():
                    made.setdefault(f"{name.removesuffix('州')}州", []).append((sort, names))
    for row in _DEMONYMS.replace("\n", "").split("|"):
        adjective, country = row.split()
        made.setdefault(adjective.lower(), []).extend(made[country.lower()])
    return made


_NAMES = _by_name()
CHINESE_NAMES = frozenset(name for name in _NAMES if not name.isascii() and len(name) > 1)
"""All Chinese names of values."""


def other_names(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The other names of a value, each list with the words of which the column's name must have one. A code of two letters is not
    taken for the place: `in`, `or` and `me` are words."""
    lowered = text.lower()
    if lowered.isascii() and (len(lowered) < 3 or lowered in ("can", "per", "are", "fin", "man", "men", "mex", "aus")):
        lowered = lowered if lowered in ("man", "men", "uk") or text in ("US", "UK") else ""
    return [(name, _COLUMNS[sort]) for sort, names in _NAMES.get(lowered, ()) for name in names if name.lower() != text.lower()]
