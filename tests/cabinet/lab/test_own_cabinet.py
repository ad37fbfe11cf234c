"""`--cabinet` takes a name or a file of one's own: here cabinets with other money, for a whole evening."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cabinet.core.currency import CURRENCIES
from cabinet.lab.main import WRONG, main
from cabinet.lab.table import cabinet_file


def own(folder: Path, currency: str, locale: str = "en_US", **changes: str) -> Path:
    """The five-seat table with other money, and rules beside it."""
    text = cabinet_file("table5").read_text(encoding="utf-8")
    text = re.sub(r"^name = .*$", f'name = "TABLE {currency}"', text, count=1, flags=re.MULTILINE)
    text = text.replace("[cabinet]\n", f'[cabinet]\ncurrency = "{currency}"\n', 1)
    text = re.sub(r"^locale = .*$", f'locale = "{locale}"', text, flags=re.MULTILINE)
    text = text.replace('driver = "id003"\n', f'driver = "id003"\ncurrency = "{currency}"\n')
    for name, value in changes.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
    (folder / "cabinets").mkdir(exist_ok=True)
    shipped = cabinet_file("table5").parents[1]
    for part in ("rules", "charts"):
        if not (folder / part).exists():
            (folder / part).symlink_to(shipped / part)
    path = folder / "cabinets" / f"{currency.lower()}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def played(path: Path, *more: str) -> int:
    return main(["--cabinet", str(path), "--virtual", "--headless", "--autoplay", *more])


@pytest.mark.requirement("CRD-12", "PRN-03")
@pytest.mark.parametrize("currency", ["EUR", "JPY"])
def test_an_evening_in_other_money(currency: str, tmp_path: Path) -> None:
    path, out = own(tmp_path, currency), tmp_path / "out"
    report = tmp_path / "report.json"
    assert played(path, "--rounds", "4", "--seed", "5", "--report", str(report), "--shots", str(out)) == 0
    made = json.loads(report.read_text(encoding="utf-8"))
    assert made["ledger_sum_cents"] == 0
    assert made["notes_in_cents"] == made["sim_notes_stacked_cents"] > 0
    assert made["tickets_out_cents"] == made["sim_tickets_cents"] > 0
    page = (out / "index.html").read_text(encoding="utf-8")
    money = CURRENCIES[currency]
    assert money.text(made["notes_in_cents"]) in page
    assert "$" not in page.partition("<body>")[2]


def test_a_name_that_is_nearly_right_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert played(Path("tabel5")) == WRONG
    assert "there is no cabinet 'tabel5': did you mean \"table5\"?" in capsys.readouterr().err


def test_a_file_that_is_no_good_cabinet_is_told_with_its_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own(tmp_path, "EUR", payout_unit_cents="0")
    path.write_text(path.read_text(encoding="utf-8").replace('currency = "EUR"', 'currency = "QQQ"', 1))
    assert played(path) == WRONG
    said = capsys.readouterr().err
    assert "is no good cabinet file" in said
    assert "currency" in said
