"""From a cabinet file to its policy and its devices: shared by the field program and the lab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cabinet.config.file import Config, DeviceKind, FileCopy, FramCopy
from cabinet.config.settings import settings_of
from cabinet.core.currency import CURRENCIES
from cabinet.core.policy import Policy
from cabinet.core.timing import Timing
from cabinet.store.directory.owner import Owner
from cabinet.store.second_copy import SlottedCopy
from cabinet.store.second_copy.media import FileSecondCopy, FramSecondCopy
from cabinet.tickets import keys as ticket_keys
from drivers import registry

if TYPE_CHECKING:
    from drivers.device import Device


NO_KEY = ticket_keys.Taken(None, "")  # no ticket is printed: what only looks needs none


def policy_of(
    config: Config,
    version: str,
    *,
    pace: int = 1,
    lab: bool = False,
    tickets: ticket_keys.Taken = NO_KEY,
    owner: Owner | None = None,
) -> Policy:
    """What the decider is told. `pace` shortens presentation and countdowns (lab only). `tickets`: the key
    of the ticket numbers. `owner`: the board and the second copy of this memory."""
    table = config.cabinet
    panels = config.of_kind(DeviceKind.PANEL)
    meters = {name: panel.name for panel in panels for name in panel.options.get("meters", {})}
    return Policy(
        name=table.name,
        serial=table.serial,
        machine_id=table.machine_id,
        establishment=table.establishment,
        street=table.street,
        city=table.city,
        currency=CURRENCIES[table.currency],
        seats=table.seats,
        rules=config.rules,
        validators=tuple((d.name, d.seats) for d in config.of_kind(DeviceKind.BILL_VALIDATOR)),
        printers=tuple((d.name, d.seats) for d in config.of_kind(DeviceKind.TICKET_PRINTER)),
        panels=tuple(d.name for d in panels),
        meters=tuple(sorted(meters.items())),
        credit_limit_cents=table.credit_limit_cents,
        ticket_limit_cents=table.ticket_limit_cents,
        large_win_cents=table.large_win_cents,
        ticket_sequence_from=table.ticket_sequence_from,
        numbers=tickets.numbers,
        no_numbers=tickets.trouble,
        redeems=table.tickets == "cash",
        ticket_in=tuple(
            d.name for d in config.of_kind(DeviceKind.BILL_VALIDATOR) if d.options.get("barcode")
        ),
        payout_unit_cents=table.payout_unit_cents,
        handpay_receipts=table.handpay_receipts,
        handpay_cancel=table.handpay_cancel,
        ticket_expiry_days=table.ticket_expiry_days,
        pulse_cents=table.pulse_cents,
        attract_after_ms=max(1, table.attract_after_s * 1000 // pace),
        timing=Timing().paced(pace),
        pace=pace,
        lab=lab,
        chart=config.advice.chart if config.advice is not None else None,
        theoretical_return=_theoretical_return(config),
        version=version,
        settings=settings_of(config, version, tickets.setting, owner),
        settings_from=config.path.name,
    )


def make_second_copy(config: Config, io: registry.Io) -> SlottedCopy | None:
    """The second copy of the totals, if the cabinet has one. Opens nothing yet."""
    match config.second_copy:
        case FramCopy(bus=bus, address=address):
            return FramSecondCopy(bus, address, io.open_bus)
        case FileCopy(path=path):
            return FileSecondCopy(Path(path))
    return None


def _theoretical_return(config: Config) -> str:
    """Of what is staked, in percent: what the meters of a rule set approach in the long run."""
    edge = config.advice.figures.get("edge_per_unit_staked_percent") if config.advice is not None else None
    return "" if edge is None else f"{100 - edge:.2f} %"


def make_devices(config: Config, io: registry.Io) -> Mapping[str, Device]:
    """All devices in the order in which every step reads them. Opens nothing yet."""
    return {
        table.name: registry.make(table.kind.value, table.driver, table.name, table.options, io)
        for table in config.devices
    }
