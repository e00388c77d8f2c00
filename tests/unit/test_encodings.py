"""The encoding of a text is told by the text."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.said import said
from workers.catalogue.forms.files import FileTexts
from workers.catalogue.forms.plain import read_plain
from workers.engines.artefacts import texts
from workers.engines.encodings import CODECS, decode, is_binary
from workers.errors import InvalidInput
from workers.tickets.preview import preview
from workers.tickets.ticket_files import open_tickets

TEXTS = [
    ("windows-1252", "Die Rückläufer für Düren heißen jetzt Größe"),
    ("windows-1252", "Straße"),
    ("windows-1252", "GRÖßE ÜBER 5"),
    ("windows-1252", "L’écran d'accueil n’affiche plus rien, problème déjà signalé"),
    ("windows-1252", "El año pasado falló la conexión; ¿por qué?"),
    ("windows-1252", "Não há ligação à base de dados"),
    ("windows-1252", "Køen på lageret er fuld, prøv igen"),
    ("windows-1252", "25 °C, 5 € – genau"),
    ("windows-1250", "příkaz není dokončen, čeká na zámek"),
    ("windows-1250", "Łączenie z bazą nie działa, błąd sieci"),
    ("windows-1250", "az adatbázis időtúllépés miatt leállt"),
    ("windows-1254", "bağlantı koptu, sunucu yavaş çalışıyor"),
    ("windows-1251", "Сервер не отвечает, ошибка соединения"),
    ("cp850", "Größere Läufe für Köln"),
    ("gb18030", "数据库连接池耗尽，业务超时"),
    ("gb18030", "order表,user表"),
    ("gb18030", "CPU使用率高"),
    ("gb18030", "订单"),
    ("big5", "資料庫連線逾時，請檢查防火牆設定"),
    ("shift_jis", "データベースに接続できません"),
    ("euc-jp", "データベースに接続できません"),
    ("euc-kr", "서버가 응답하지 않습니다. 재시작 후 정상화되었습니다."),
    ("euc-kr", "주문번호,고객,상태\n1,김민수,배송 완료\n"),
    ("gb18030", "北京,黑龙江,安徽,广东"),
    ("gb18030", "版本（{marks}），{age}前"),
    ("shift_jis", "注文番号,顧客\n1,田中太郎"),
    ("utf-16-le", "编号,描述\n1,慢查询发生\n"),
    ("utf-16-be", "a;b\n1;2\n"),
    ("utf-16", "Größe"),
    ("utf-32", "Größe"),
    ("utf-8", "Größe 表"),
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
def test_a_text_is_read_in_the_encoding_that_makes_words_of_it(encoding: str, text: str) -> None:
    read = decode(text.encode(CODECS[encoding]))

    assert (read.text, read.encoding, read.rival) == (text, encoding, "")


def test_a_text_that_two_encodings_explain_names_both() -> None:
    read = decode("čas dotazu".encode("cp1250"))

    assert {read.encoding, read.rival} == {"windows-1250", "windows-1252"}


def test_a_line_of_megabytes_with_one_foreign_letter_at_its_end_is_read() -> None:
    """The look at it is linear: a quadratic one would take hours."""
    text = "x" * 3_000_000 + " für"

    assert decode(text.encode("cp1252")).text == text


def test_utf8_that_breaks_off_within_a_character_is_utf8() -> None:
    assert decode("Größe und Straße".encode()[:-2]).encoding == "utf-8"
    assert decode("Köln, é".encode()[:-1]).text == "Köln, \ufffd"


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    for is_whole in (True, False):
        assert decode(data, is_whole=is_whole).encoding in CODECS
        for named in CODECS:
            assert decode(data, named, is_whole=is_whole).encoding == named


@pytest.mark.parametrize("text", ["编号,描述\n", "id,text\n1,für\n"])
def test_a_text_without_a_mark_is_read_in_the_wide_encoding_that_a_person_names(text: str) -> None:
    for named, codec in (
        ("utf-16", "utf-16-le"),
        ("utf-16", "utf-16-be"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32-le"),
        ("utf-32", "utf-32"),
    ):
        assert decode(text.encode(codec), named).text == text, codec


def test_a_binary_file_is_no_text_in_utf16() -> None:
    assert is_binary(random.Random(7).randbytes(4_000) + bytes(400))
    assert not is_binary("编号,描述\n".encode("utf-16-le"))


def test_a_german_export_is_read_with_its_umlauts_and_the_preview_names_the_encoding(tmp_path: Path) -> None:
    """Case 14: it was taken for Chinese."""
    file = tmp_path / "sn.csv"
    file.write_text(
        "Number;Short description;Description;Close notes;Cause;State\n"
        "INC7;Löschläufe hängen;Große Löschläufe für Würzburg hängen, Prüfung fällt aus;Sperre gelöst;Löschjob hält Sperre;Closed\n",
        encoding="cp1252",
    )

    found = preview(open_tickets(file))

    assert found.encoding == "windows-1252"
    assert [ticket.root_cause for ticket in found.examples] == ["Löschjob hält Sperre"]


def test_a_ticket_file_of_unclear_encoding_is_refused_until_somebody_says_it(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("ticket_id,description,root_cause\nT-1,dotaz bere moc dlouho,čas\n", encoding="cp1250")

    with pytest.raises(InvalidInput, match=r"both windows-125[02] and windows-125[02] fit its text"):
        open_tickets(file)

    opened = open_tickets(file, encoding="windows-1250")
    assert [getattr(item, "root_cause", "") for _, item in opened.items] == ["čas"]
    with pytest.raises(InvalidInput, match="punycode is not an encoding that is known here"):
        open_tickets(file, encoding="punycode")


def test_a_description_for_the_catalogue_keeps_its_umlauts_and_its_encoding_is_noted(tmp_path: Path) -> None:
    """Case 14."""
    file = tmp_path / "terms.csv"
    file.write_text("table,column,description\norders,state,Nur geprüfte Aufträge für Fällige\n", encoding="cp1252")
    read = FileTexts()

    items = list(read_plain(file, "shop", read))

    assert "geprüfte Aufträge" in str(items)
    assert read.guessed == {"terms.csv": "windows-1252"}


def test_a_description_with_semicolons_below_a_title_is_read(tmp_path: Path) -> None:
    """What Excel writes in Germany."""
    file = tmp_path / "terms.csv"
    file.write_text("Datenkatalog\ntable;column;description\norders;state;Für Prüfer, intern\n", encoding="cp1252")

    assert "Für Prüfer, intern" in str(list(read_plain(file, "shop")))


def test_a_script_keeps_the_umlauts_of_its_columns_and_says_the_encoding() -> None:
    """Case 14."""
    found = texts.decode("joined = a.join(b, 'länder_id')\n".encode("cp1252"))

    assert found.text == "joined = a.join(b, 'länder_id')\n"
    assert said(found.note) == "It is not UTF-8 and was read as windows-1252."
