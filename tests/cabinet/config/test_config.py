"""The cabinet file: the shipped ones are good, and every mistake is named where it stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from cabinet.config.assembly import policy_of
from cabinet.config.file import ConfigError, DeviceKind, FileCopy, FramCopy, load, shipped_folder
from cabinet.config.report import report
from support.programs.copies import with_copy
from support.programs.source import ROOT

CABINETS = ROOT / "config" / "cabinets"
Change = Callable[[str], str]


def swapped(old: str, new: str) -> Change:
    """A change of the text that is certain to have happened."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


class Desk:
    """Where a technician edits a copy of a shipped file and asks what is wrong with it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "cabinet.toml"

    def write(self, name: str, *changes: Change) -> Path:
        text = (CABINETS / f"{name}.toml").read_text(encoding="utf-8")
        for change in changes:
            text = change(text)
        self.file.write_text(text, encoding="utf-8")
        return self.file

    def wrong(self, name: str, *changes: Change) -> list[tuple[str, str, str, str]]:
        """(table, key, found, allowed) of every problem, the file left out."""
        with pytest.raises(ConfigError) as caught:
            load(self.write(name, *changes))
        problems = caught.value.problems
        assert {problem.file for problem in problems} == {str(self.file)}
        return [(problem.table, problem.key, problem.found, problem.allowed) for problem in problems]

    def rule_set(self, name: str, text: str) -> None:
        (self.file.parent / "rules").mkdir(exist_ok=True)
        (self.file.parent / "rules" / f"{name}.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# ---- what is shipped


@pytest.mark.parametrize(
    ("name", "seats", "validators"),
    [("table5", 5, 5), ("slot1", 1, 1), ("shared3", 3, 1), ("receipt3", 3, 1)],
)
def test_the_shipped_cabinets_are_good(name: str, seats: int, validators: int) -> None:
    config = load(CABINETS / f"{name}.toml")
    assert config.cabinet.seats == seats
    assert len(config.of_kind(DeviceKind.BILL_VALIDATOR)) == validators
    assert len(config.of_kind(DeviceKind.TICKET_PRINTER)) == validators
    assert [device.kind for device in config.devices] == sorted(device.kind for device in config.devices)[
        :0
    ] + (
        [DeviceKind.BILL_VALIDATOR] * validators
        + [DeviceKind.TICKET_PRINTER] * validators
        + [DeviceKind.PANEL]
    )


def test_each_seat_of_a_table_has_its_own_devices() -> None:
    config = load(CABINETS / "table5.toml")
    names = [config.serving(DeviceKind.BILL_VALIDATOR, seat).name for seat in range(1, 6)]
    assert names == [f"validator{seat}" for seat in range(1, 6)]
    assert not any(device.shared for device in config.devices)
    assert config.second_copy == FramCopy(kind="fram", bus=1, address=0x50)


@pytest.mark.requirement("MEM-02")
@pytest.mark.parametrize("path", sorted(CABINETS.glob("*.toml")), ids=lambda path: str(path.stem))
def test_every_shipped_cabinet_has_a_second_copy(path: Path) -> None:
    assert load(path).second_copy is not None


def test_a_shared_device_serves_every_seat() -> None:
    config = load(CABINETS / "shared3.toml")
    assert {config.serving(DeviceKind.TICKET_PRINTER, seat).name for seat in (1, 2, 3)} == {"printer1"}
    assert config.serving(DeviceKind.BILL_VALIDATOR, 2).shared


@pytest.mark.parametrize(
    "path", sorted((ROOT / "config" / "rules").glob("*.toml")), ids=lambda path: str(path.stem)
)
def test_every_shipped_rule_set_can_be_named(path: Path, desk: Desk) -> None:
    config = load(desk.write("table5", swapped('rules = "standard"', f'rules = "{path.stem}"')))
    assert config.rules_path == path


def test_a_loaded_file_cannot_be_changed() -> None:
    config = load(CABINETS / "slot1.toml")
    with pytest.raises(AttributeError):
        config.cabinet.credit_limit_cents = 1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.devices[0].driver = "free_money"  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.devices[0].options["port"] = "/dev/null"  # type: ignore[index]


def test_what_is_left_out_has_a_default(desk: Desk) -> None:
    def without_looks(text: str) -> str:
        start, end = text.index("# What people see"), text.index("# The totals")
        return text[:start] + text[end:]

    cabinet = load(desk.write("slot1", without_looks)).cabinet
    assert (cabinet.language, cabinet.locale, cabinet.deck) == ("en", "en_US", "four")
    assert (cabinet.resolution, cabinet.fullscreen) == ((1920, 1080), True)


# ---- single keys


@pytest.mark.parametrize(
    ("old", "new", "key", "found", "allowed"),
    [
        ("seats = 1\n", "seats = 8\n", "seats", "8", "a whole number, 1 to 7"),
        ("seats = 1\n", "seats = true\n", "seats", "true", "a whole number, 1 to 7"),
        ("machine_id = 101", "machine_id = 16777216", "machine_id", "16777216", "1 to 16777215"),
        ("machine_id = 101", 'machine_id = "101"', "machine_id", '"101"', "a whole number, 1 to 16777215"),
        ('serial = "0001-101"', 'serial = "1-101"', "serial", '"1-101"', "the machine number as printed"),
        ('city = "RENO NV 89501"', 'city = "RENO|NV"', "city", '"RENO|NV"', "printable ASCII"),
        ('city = "RENO NV 89501"', 'city = "MÜNCHEN"', "city", '"MÜNCHEN"', "printable ASCII"),
        ('city = "RENO NV 89501"', "city = 1979-05-27", "city", '"1979-05-27"', "printable ASCII"),
        ('city = "RENO NV 89501"', f'city = "{"X" * 90}"', "city", '"' + "X" * 76 + "...", "printable ASCII"),
        ('language = "en"', 'currency = "GBP"', "currency", '"GBP"', '"USD"'),
        ("[1920, 1080]", '"big"', "resolution", '"big"', "[width, height] in pixels"),
        ('deck = "four"', 'deck = "five"', "deck", '"five"', '"four" or "two"'),
        ("volume_percent = 50", "volume_percent = 101", "volume_percent", "101", "a whole number, 0 to 100"),
        ("[1920, 1080]", "[1920, 480]", "resolution.1", "480", "a whole number, 720 to 2160"),
        ("[1920, 1080]", "[1920]", "resolution", "[1920]", "[width, height] in pixels, [1280, 720] to"),
        ("fullscreen = true", 'fullscreen = "yes"', "fullscreen", '"yes"', "true or false"),
        ('tickets = "cash"', 'tickets = "credit"', "tickets", '"credit"', '"cash" or "receipt"'),
        ('tickets = "cash"', "payout_unit_cents = 0", "payout_unit_cents", "0", "a whole number, 1 to 10000"),
        ('tickets = "cash"', "ticket_sequence_from = 0", "ticket_sequence_from", "0", "1 to 16777215"),
        ("ticket_expiry_days = 30", "ticket_expiry_days = 0.5", "ticket_expiry_days", "0.5", "1 to 999"),
        ('language = "en"', 'language = "english"', "language", '"english"', "two letters"),
        ('language = "en"', 'language = "xx"', "language", '"xx"', '"en"'),
        ('locale = "en_US"', 'locale = "xx_XX"', "locale", '"xx_XX"', "a known locale"),
        ('rules = "slot"', 'rules = "../slot"', "rules", '"../slot"', "not a path"),
        ("pulse_cents = 100", "pulse_cent = 100", "pulse_cent", "an unknown key", "one of attract_after_s,"),
        ("credit_limit_cents = 300000", "", "credit_limit_cents", "nothing", "100 to 99999999"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_with_what_is_allowed(
    desk: Desk, old: str, new: str, key: str, found: str, allowed: str
) -> None:
    [(table, at, seen, bounds)] = desk.wrong("slot1", swapped(old, new))
    assert (table, at, seen) == ("cabinet", key, found)
    assert allowed in bounds


def notes_of(*cents: int) -> Change:
    return swapped('driver = "id003"', f'driver = "id003"\nenabled_cents = {list(cents)}')


@pytest.mark.parametrize(
    ("pulse", "notes", "why"),
    [
        (333, (), "a note of 500 cents is 500 / 333 pulses"),
        (3, (), "a note of 100 cents is 100 / 3 pulses"),
        (300, (), "a note of 500 cents is 500 / 300 pulses"),
        (2_500, (1_000, 2_000, 10_000), ""),
        (2_500, (1_000, 4_000, 10_000), "a note of 4000 cents is 4000 / 2500 pulses"),
        (20_000, (), "the largest that is taken has 10000 cents"),
        (500, (100, 200), "the largest that is taken has 200 cents"),
        (200, (200, 1_000), ""),
        (200, (), "a note of 500 cents is 500 / 200 pulses"),
        (1, (), ""),
        (50, (), ""),
        (500, (), ""),
        (10_000, (), ""),
    ],
)
def test_a_pulse_that_no_note_can_be_counted_with_is_refused_with_the_reason(
    desk: Desk, pulse: int, notes: tuple[int, ...], why: str
) -> None:
    changes = [swapped("pulse_cents = 100", f"pulse_cents = {pulse}")]
    if notes:
        changes.append(notes_of(*notes))
    if not why:
        assert load(desk.write("slot1", *changes)).cabinet.pulse_cents == pulse
        return
    [(table, key, found, allowed)] = desk.wrong("slot1", *changes)
    assert (table, key, found) == ("cabinet", "pulse_cents", str(pulse))
    assert why in allowed


@pytest.mark.parametrize(
    ("pulse", "change", "carried"),
    [
        (50, None, ""),  # half of the smallest bet of a dollar is what a blackjack pays in addition
        (100, None, "$0.50"),
        (500, None, "$4.50"),
        (100, swapped('tickets = "cash"', 'tickets = "cash"\npayout_unit_cents = 100'), ""),
        (100, swapped('tickets = "cash"', 'tickets = "cash"\npayout_unit_cents = 30'), "$0.90"),
        (500, swapped('tickets = "cash"', 'tickets = "cash"\npayout_unit_cents = 500'), "$4.00"),
    ],
)
def test_what_a_hard_meter_carries_over_is_told(
    desk: Desk, pulse: int, change: Change | None, carried: str
) -> None:
    changes = [swapped("pulse_cents = 100", f"pulse_cents = {pulse}"), *([change] if change else [])]
    text = report(load(desk.write("slot1", *changes)))
    lines = [line.strip() for line in text.splitlines() if "hard meters carry" in line]
    told = f"hard meters carry up to {carried} over: less than a pulse counts with the next amount"
    assert lines == ([told] if carried else [])


def test_every_mistake_is_reported_at_once(desk: Desk) -> None:
    desk.rule_set("house", 'decks = 9\nblackjack_pays = "6:5"\nmin_bet_cents = 501\ncards = 52\n')
    desk.write(
        "table5",
        swapped('deck = "four"', 'deck = "none"'),
        swapped("ticket_expiry_days = 30", "ticket_expiry_days = 0"),
        swapped("[ticket_printer.printer3]", "[ticket_printer.Printer3]"),
        swapped('"door.main"', '"door.back"'),
        lambda text: text + "\n[lamp.lamp1]\ncolour = 1\n",
    )
    with pytest.raises(ConfigError) as caught:
        load(desk.file)
    places = {(problem.table, problem.key) for problem in caught.value.problems}
    assert places == {
        ("cabinet", "deck"),
        ("cabinet", "ticket_expiry_days"),
        ("ticket_printer.Printer3", ""),
        ("panel.panel1", 'inputs."door.back"'),
        ("panel", "inputs"),
        ("", "lamp"),
    }
    assert len(str(caught.value).splitlines()) == 6


def test_no_mistake_waits_for_another_to_be_mended(desk: Desk) -> None:
    """One of each sort, in one pass: a key, words, limits, a seat, a line, a line twice, the copy."""
    found = desk.wrong(
        "table5",
        swapped("volume_percent = 60", "volume_percent = 101"),
        swapped('language = "en"', 'language = "fr"'),
        swapped('locale = "en_US"', 'locale = "xx_US"'),
        swapped("credit_limit_cents = 1000000", "credit_limit_cents = 100"),
        swapped("pulse_cents = 500", "pulse_cents = 300"),
        swapped('/printer2"\nseats = [2]', '/printer2"\nseats = [3]'),
        swapped('"key.service" = "pinctrl-rp1:5"', '"key.service" = "pinctrl-rp1:4"'),
        swapped('"seat1.hit" = "mcp23017@20:3"', '"seat1.hit" = "mcp23017@20:16"'),
        swapped("address = 0x50", "address = 0x20"),
    )
    assert sorted((table, key) for table, key, _, _ in found) == [
        ("cabinet", "credit_limit_cents"),
        ("cabinet", "language"),
        ("cabinet", "locale"),
        ("cabinet", "pulse_cents"),
        ("cabinet", "volume_percent"),
        ("panel.panel1", 'inputs."key.service"'),
        ("panel.panel1", 'inputs."seat1.hit"'),
        ("second_copy", "address"),
        ("ticket_printer", ""),
        ("ticket_printer", "seats"),
    ]


def test_a_wrong_line_is_told_in_a_short_line_of_text(desk: Desk) -> None:
    with pytest.raises(ConfigError) as caught:
        load(desk.write("slot1", swapped('"seat1.hit" = "mcp23017@20:3"', '"seat1.hit" = "mcp23017@20:16"')))
    assert str(caught.value) == (
        f'{desk.file}: [panel.panel1] inputs."seat1.hit": found "mcp23017@20:16"; '
        "allowed: an expander's lines 0 to 15"
    )


def test_a_line_of_text_says_file_table_key_found_and_allowed(desk: Desk) -> None:
    with pytest.raises(ConfigError) as caught:
        load(desk.write("slot1", swapped("volume_percent = 50", "volume_percent = -1")))
    assert str(caught.value) == (
        f"{desk.file}: [cabinet] volume_percent: found -1; allowed: a whole number, 0 to 100"
    )


def test_a_file_that_is_not_there_or_no_toml(desk: Desk) -> None:
    with pytest.raises(
        ConfigError, match=r"nothing to read \(No such file or directory\); allowed: a readable file"
    ):
        load(desk.file)
    desk.file.write_text("[cabinet\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="at line 1"):
        load(desk.file)
    desk.file.write_bytes(b'[cabinet]\nname = "\xff"\n')
    with pytest.raises(ConfigError, match=r"no text \(.*allowed: a text in UTF-8"):
        load(desk.file)


def test_a_file_without_a_cabinet(desk: Desk) -> None:
    desk.file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(desk.file)
    assert [(problem.table, problem.found) for problem in caught.value.problems] == [("cabinet", "nothing")]


def test_tables_that_are_no_tables(desk: Desk) -> None:
    desk.file.write_text(
        'cabinet = 5\nsecond_copy = "fram"\npanel = 1\nbill_validator.a = 2\n', encoding="utf-8"
    )
    with pytest.raises(ConfigError) as caught:
        load(desk.file)
    assert [(problem.table, problem.key) for problem in caught.value.problems] == [
        ("cabinet", ""), ("second_copy", "kind"), ("bill_validator", "a"), ("", "panel"),
    ]  # fmt: skip


# ---- rule sets


def test_an_own_rule_set_stands_beside_the_cabinet_file(desk: Desk) -> None:
    desk.rule_set("house", "decks = 2\nmin_bet_cents = 1000\n")
    config = load(desk.write("table5", swapped('rules = "standard"', 'rules = "house"')))
    assert (config.rules.decks, config.rules.min_bet_cents) == (2, 1000)
    assert config.rules_path == desk.file.parent / "rules" / "house.toml"


def test_mistakes_of_a_rule_set_name_its_file(desk: Desk) -> None:
    desk.rule_set("house", "decks = 9\ncards = 52\n")
    with pytest.raises(ConfigError) as caught:
        load(desk.write("table5", swapped('rules = "standard"', 'rules = "house"')))
    assert {(Path(p.file).name, p.key) for p in caught.value.problems} == {
        ("house.toml", "decks"),
        ("house.toml", "cards"),
    }


def test_a_rule_set_in_no_place_or_in_two(desk: Desk) -> None:
    [(_, key, found, allowed)] = desk.wrong("table5", swapped('rules = "standard"', 'rules = "lost"'))
    assert (key, found) == ("rules", '"lost", which is in neither place')
    assert str(shipped_folder() / "rules" / "lost.toml") in allowed
    desk.rule_set("standard", "decks = 1\n")  # which one is meant?
    [(_, key, found, _)] = desk.wrong("table5")
    assert key == "rules"
    assert found.startswith('"standard", which is both ')


def test_a_seat_can_always_hold_the_highest_bet(desk: Desk) -> None:
    [(_, key, found, allowed)] = desk.wrong(
        "slot1", swapped("credit_limit_cents = 300000", "credit_limit_cents = 4900")
    )
    assert (key, allowed) == ("credit_limit_cents", "5000 or more")
    assert "5000" in found


# ---- devices


def test_every_seat_has_exactly_one_validator_and_one_printer(desk: Desk) -> None:
    found = desk.wrong("table5", swapped('/validator2"\nseats = [2]', '/validator2"\nseats = [3]'))
    assert found == [
        ("bill_validator", "", "no device for seat 2", "exactly one for each seat"),
        ("bill_validator", "seats", "validator2 and validator3 for seat 3", "exactly one for each seat"),
    ]


def test_seats_that_are_not_there(desk: Desk) -> None:
    found = desk.wrong("slot1", swapped('printer1"\nseats = [1]', 'printer1"\nseats = [1, 2, 1]'))
    assert [(table, key, seen) for table, key, seen, _ in found] == [
        ("ticket_printer.printer1", "seats", "seat 2"),
        ("ticket_printer.printer1", "seats", "seat 1 twice"),
    ]


@pytest.mark.parametrize("seats", ['"all"', "[1.0]", "[true]", "1"])
def test_seats_are_a_list_of_numbers(desk: Desk, seats: str) -> None:
    found = desk.wrong("slot1", swapped('printer1"\nseats = [1]', f'printer1"\nseats = {seats}'))
    assert found[0][:2] == ("ticket_printer.printer1", "seats")
    assert found[0][3] == "a list of seat numbers"


def test_a_device_without_seats_serves_nobody(desk: Desk) -> None:
    found = desk.wrong("slot1", swapped('printer1"\nseats = [1]', 'printer1"\nseats = []'))
    assert ("ticket_printer.printer1", "seats", "no seat", "at least one seat") in found


def test_a_shared_validator_needs_a_buy_in_button_for_each_seat(desk: Desk) -> None:
    [(table, key, found, _)] = desk.wrong("shared3", swapped('"seat2.buy_in" = "mcp23017@21:10"\n', ""))
    assert (table, key) == ("panel", "inputs")
    assert found == "no seat2.buy_in (validator1 is shared, so each of its seats needs a BUY IN button)"


def test_a_seat_with_its_own_validator_has_no_buy_in_button(desk: Desk) -> None:
    """It would be a button that does nothing."""
    line = '"seat1.help" = "mcp23017@20:9"\n'
    [(table, key, _, allowed)] = desk.wrong(
        "slot1", swapped(line, line + '"seat1.buy_in" = "pinctrl-bcm2711:18"\n')
    )
    assert (table, key) == ("panel.panel1", 'inputs."seat1.buy_in"')
    assert allowed == "BUY IN only where the seat's validator is shared"


@pytest.mark.parametrize("name", ["key.attendant", "door.logic", "seat1.stand"])
def test_every_button_key_and_door_is_wired(desk: Desk, name: str) -> None:
    def cut(text: str) -> str:
        lines = text.splitlines(keepends=True)
        first = next(number for number, line in enumerate(lines) if line.startswith(f'"{name}"'))
        return "".join(lines[:first] + lines[first + 1 :]).replace(
            'maintained = ["key.attendant", ', "maintained = ["
        )

    found = desk.wrong("slot1", cut)
    assert [(table, seen) for table, _, seen, _ in found] == [("panel", f"no {name}")]


def test_names_that_nobody_knows(desk: Desk) -> None:
    found = desk.wrong(
        "slot1",
        swapped('"door.drop"', '"door.back"'),
        swapped('"candle.top"', '"candle.left"'),
        swapped('"meter.drop"', '"meter.lost"'),
        swapped('"seat1.split" = "mcp23017@20:1', '"seat2.split" = "mcp23017@20:1'),
    )
    assert [key for _, key, _, _ in found] == [
        'inputs."door.back"', 'outputs."candle.left"', 'outputs."seat2.split"', 'meters."meter.lost"',
    ]  # fmt: skip
    assert {seen for _, _, seen, _ in found} == {"an unknown name"}


@pytest.mark.parametrize(
    ("change", "near"),
    [
        (swapped('"door.drop"', '"door.dorp"'), "door.drop"),
        (swapped('"seat1.hit" = "mcp23017@20:3"', '"seat1.hitt" = "mcp23017@20:3"'), "seat1.hit"),
        (swapped('"candle.top"', '"candle.tops"'), "candle.top"),
        (swapped('"meter.drop"', '"meter.dropp"'), "meter.drop"),
        (swapped("volume_percent", "volume_precent"), "volume_percent"),
        (swapped("[ticket_printer.printer1]", "[ticket_printers.printer1]"), "ticket_printer"),
        (swapped('driver = "tcl"', 'driver = "tlc"'), ""),
        (swapped('driver = "id003"', 'driver = "id03"'), "id003"),
        (swapped('driver = "id003"', 'driver = "id003"\nbuad = 9600'), "baud"),
        (swapped('rules = "slot"', 'rules = "slots"'), "slot"),
    ],
)
def test_a_slip_is_told_with_the_nearest_name_and_all_names(desk: Desk, change: Change, near: str) -> None:
    told = [allowed for _, _, found, allowed in desk.wrong("slot1", change) if not found.startswith("no ")]
    assert [f'did you mean "{near}"? ' in text for text in told] == [bool(near)]


def test_the_names_that_are_allowed_are_all_of_them(desk: Desk) -> None:
    [(_, _, _, allowed), *_] = desk.wrong("slot1", swapped('"door.drop"', '"gate"'))[1:]
    for name in (
        "key.service",
        "door.main",
        "door.drop",
        "door.printer",
        "seatN.hit",
        "seatN.help",
        "seatN.buy_in",
    ):
        assert f"{name}," in f"{allowed},"


def test_a_slip_in_a_rule_set_is_told_with_the_nearest_name(desk: Desk) -> None:
    desk.rule_set("house", "deks = 2\n")
    with pytest.raises(ConfigError, match='deks: found 2; allowed: did you mean "decks"\\? no such key'):
        load(desk.write("table5", swapped('rules = "standard"', 'rules = "house"')))


def test_a_printer_door_may_be_wired_and_is_a_door(desk: Desk) -> None:
    """It is an optional input like the drop door: printer, belly and others in series."""
    config = load(desk.write("slot1", swapped('"door.drop"', '"door.printer"')))
    assert any("door.printer" in repr(panel.options) for panel in config.of_kind(DeviceKind.PANEL))


def test_one_port_for_one_device(desk: Desk) -> None:
    [(table, key, found, _)] = desk.wrong(
        "slot1", swapped("/dev/cabinet/printer1", "/dev/cabinet/validator1")
    )
    assert (table, key) == ("ticket_printer.printer1", "port")
    assert "bill_validator.validator1" in found


def test_two_panels_share_neither_names_nor_lines(desk: Desk) -> None:
    second = (
        '\n[panel.panel2]\ndriver = "gpio"\n[panel.panel2.inputs]\n'
        '"door.main" = "pinctrl-bcm2711:7"\n[panel.panel2.outputs]\n"seat1.help" = "pinctrl-bcm2711:25"\n'
    )
    found = desk.wrong("slot1", lambda text: text + second)
    assert [(table, key) for table, key, _, _ in found] == [
        ("panel.panel2", 'inputs."door.main"'),
        ("panel.panel2", 'outputs."seat1.help"'),
        ("panel.panel2", 'outputs."seat1.help"'),
    ]
    assert found[2][2:] == (
        '"pinctrl-bcm2711:25"', "a line of its own; panel.panel1 outputs candle.bottom has this one"
    )  # fmt: skip


def test_a_name_is_used_for_one_device(desk: Desk) -> None:
    """Events name a device by its name alone."""
    [(table, key, found, _)] = desk.wrong(
        "slot1", swapped("[ticket_printer.printer1]", "[ticket_printer.validator1]")
    )
    assert (table, key) == ("ticket_printer.validator1", "")
    assert "bill_validator.validator1" in found


def test_a_driver_that_is_not_there(desk: Desk) -> None:
    found = desk.wrong("slot1", swapped('driver = "id003"', 'driver = "id004"'))
    assert found[0][:2] == ("bill_validator.validator1", "driver")
    assert "id003" in found[0][3]
    found = desk.wrong("slot1", swapped('driver = "id003"', "driver = 3"))
    assert found[0] == ("bill_validator.validator1", "driver", "3", "the name of a driver in quotes")


def test_options_are_checked_by_their_driver(desk: Desk) -> None:
    [(table, key, _, _)] = desk.wrong("slot1", swapped('driver = "id003"', 'driver = "id003"\nbuad = 9600'))
    assert (table, key) == ("bill_validator.validator1", "buad")
    found = desk.wrong("slot1", swapped('"mcp23017@20:0"', '"mcp23017@20:16"'))
    assert found[0][0] == "panel.panel1"
    assert "lines 0 to 15" in found[0][3]


def test_a_validator_counts_the_cabinets_currency(desk: Desk) -> None:
    [(table, key, found, allowed)] = desk.wrong(
        "slot1", swapped('driver = "id003"', 'driver = "id003"\ncurrency = "EUR"')
    )
    assert (table, key, found) == ("bill_validator.validator1", "currency", '"EUR"')
    assert '"USD"' in allowed


# ---- the second copy


def added(table: str) -> Callable[[str], str]:
    return lambda text: with_copy(text, table)


def test_the_second_copy_may_be_a_file(desk: Desk) -> None:
    copy = load(desk.write("slot1", added('kind = "file"\npath = "/mnt/second/copy"'))).second_copy
    assert copy == FileCopy(kind="file", path="/mnt/second/copy")


def test_the_second_copy_may_be_an_fram(desk: Desk) -> None:
    copy = load(desk.write("slot1", added('kind = "fram"\nbus = 3\naddress = 0x51'))).second_copy
    assert copy == FramCopy(kind="fram", bus=3, address=0x51)
    assert load(desk.write("slot1", added('kind = "fram"'))).second_copy == FramCopy(
        kind="fram", bus=1, address=0x50
    )


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('kind = "fram"\naddress = 0x20', "address"),
        ('kind = "fram"\nbus = "/dev/i2c-1"', "bus"),
        ('kind = "fram"\npath = "/mnt/copy"', "path"),
        ('kind = "tape"', "kind"),
        ("bus = 1", "kind"),
        ('kind = "file"', "path"),
        ('kind = "file"\npath = "copy"', "path"),
        ('kind = "file"\npath = "/mnt/copy"\nspeed = 1', "speed"),
    ],
)
def test_a_wrong_second_copy(desk: Desk, table: str, key: str) -> None:
    found = desk.wrong("slot1", added(table))
    assert [(at, which) for at, which, _, _ in found] == [("second_copy", key)]


# ---- tickets and hand payments


@pytest.mark.requirement("PRN-08", "CRD-06", "CRD-07")
def test_what_becomes_of_tickets_is_the_cabinet_files_to_say(desk: Desk) -> None:
    plain = policy_of(load(shipped_folder() / "cabinets" / "slot1.toml"), "test")
    assert (plain.redeems, plain.ticket_in) == (True, ("validator1",))
    assert (plain.payout_unit_cents, plain.handpay_cancel, plain.handpay_receipts) == (1, True, True)
    assert plain.ticket_sequence_from == 1
    changed = [
        'tickets = "receipt"',
        "payout_unit_cents = 5",
        "handpay_cancel = false",
        "handpay_receipts = false",
        "ticket_sequence_from = 501",
    ]
    file = desk.write("slot1", swapped('tickets = "cash"', "\n".join(changed)))
    policy = policy_of(load(file), "test")
    assert (policy.redeems, policy.handpay_cancel, policy.handpay_receipts) == (False, False, False)
    assert (policy.payout_unit_cents, policy.ticket_sequence_from) == (5, 501)
    file = desk.write("slot1", lambda text: text.replace("barcode = true", "barcode = false"))
    assert policy_of(load(file), "test").ticket_in == ()
