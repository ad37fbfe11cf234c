"""What the drivers of all ticket printers share: outcomes, the text of a ticket, the last resort.

For drivers of printers.
"""

__all__ = ["outcomes", "ticket_text", "unready"]
