"""What the drivers of all ticket printers share: the device and its orders, the line, the text of a ticket.

For drivers of printers.
"""

__all__ = ["line", "options", "outcomes", "printer", "ticket_text", "unready"]
