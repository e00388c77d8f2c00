"""Workbooks of Excel with some sheets of texts."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr


def workbook(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """Sheet → its rows."""
    named = "".join(f'<sheet name={quoteattr(name)} r:id="r{place}"/>' for place, name in enumerate(sheets))
    targets = "".join(f'<Relationship Id="r{place}" Type="x/worksheet" Target="worksheets/{place}.xml"/>' for place in range(len(sheets)))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as book:
        book.writestr("xl/workbook.xml", f'<workbook xmlns:r="r"><sheets>{named}</sheets></workbook>')
        book.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{targets}</Relationships>")
        for place, rows in enumerate(sheets.values()):
            cells = ("".join(f'<c t="str"><v>{escape(cell)}</v></c>' for cell in row) for row in rows)
            book.writestr(
                f"xl/worksheets/{place}.xml",
                f"<worksheet><sheetData>{''.join(f'<row>{row}</row>' for row in cells)}</sheetData></worksheet>",
            )
    return written.getvalue()
