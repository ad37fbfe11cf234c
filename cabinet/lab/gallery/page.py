"""A page of pictures that needs nothing but its folder: no network, no script, letters inside."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from drivers.sim.ticket.art import FONT_FOLDER

STYLE = """
:root { --ink:#071517; --panel:#0B2225; --panel-hi:#112E31; --line:#2C5053; --text:#F3F6F1; --text-2:#B5C9C6;
  --text-3:#8FA9A6; --accent:#FFBE4D; }
* { box-sizing:border-box }
html { background:var(--ink); color:var(--text); font:500 18px/1.5 "Table Sans",system-ui,sans-serif;
  font-variant-numeric:tabular-nums }
body { margin:0 auto; padding:48px 32px 96px; max-width:1480px }
header { border-bottom:2px solid var(--line); padding-bottom:24px; margin-bottom:40px }
h1 { font-size:46px; line-height:1.1; margin:0 0 8px }
h2 { font-size:28px; margin:72px 0 8px; scroll-margin-top:16px }
h3 { font-size:20px; margin:32px 0 8px }
p { margin:0 0 8px; color:var(--text-2); max-width:75ch }
a { color:var(--accent); text-decoration:none } a:hover, a:focus-visible { text-decoration:underline }
nav { display:flex; flex-wrap:wrap; gap:4px 24px; margin-top:16px }
.pictures { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr)); gap:28px;
  margin-top:20px }
figure { margin:0 } figure img { display:block; width:100%; height:auto; border:2px solid var(--line);
  border-radius:10px; background:var(--panel) }
figure a:hover img, figure a:focus-visible img { border-color:var(--accent) }
figcaption { padding:10px 2px 0; line-height:1.35 }
figcaption b { font-weight:700 } figcaption span { display:block; color:var(--text-3); font-size:16px }
.tickets { grid-template-columns:repeat(auto-fill,minmax(min(100%,380px),1fr)) }
.tickets img { border-radius:4px; background:#FBFAF6 }
pre { font:500 16px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
  background:var(--panel); border:2px solid var(--line); border-radius:10px; padding:16px 20px;
  overflow-x:auto; margin:12px 0 }
.rounds { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,560px),1fr)); gap:0 28px }
table { border-collapse:collapse; margin-top:16px } th, td { padding:8px 32px 8px 0; text-align:left;
  border-bottom:1px solid var(--line) } th { color:var(--text-2); font-weight:500 }
td.money { text-align:right; font-weight:700 } td.note { color:var(--text-3) }
.good { color:var(--text) } .bad { color:var(--accent); font-weight:700 }
footer { margin-top:72px; color:var(--text-3); font-size:16px; overflow-wrap:anywhere }
@media print { html { background:#fff; color:#000 } p, figcaption span { color:#333 } }
"""


@dataclass(frozen=True, slots=True)
class GalleryPicture:
    """`file` is beside the page; `alt` says what is to be seen to who does not see it."""

    file: str
    title: str
    note: str
    alt: str
    width: int
    height: int


def page(title: str, lead: str, links: Iterable[tuple[str, str]], sections: Iterable[str], foot: str) -> str:
    """A whole page. `links` are (anchor, word); `title`, `lead` and `foot` are plain text."""
    menu = "".join(f'<a href="#{anchor}">{escape(word)}</a>' for anchor, word in links)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>{_fonts()}{STYLE}</style></head>\n<body>"
        f"<header><h1>{escape(title)}</h1><p>{escape(lead)}</p><nav>{menu}</nav></header>\n<main>\n"
        + "\n".join(sections)
        + f"\n</main>\n<footer>{escape(foot)}</footer></body></html>\n"
    )


def section(anchor: str, title: str, text: str, body: str) -> str:
    lead = f"<p>{escape(text)}</p>" if text else ""
    return f'<section id="{anchor}"><h2>{escape(title)}</h2>{lead}\n{body}</section>'


def pictures(shown: Iterable[GalleryPicture], kind: str = "") -> str:
    return f'<div class="pictures {kind}">' + "\n".join(map(_figure, shown)) + "</div>"


def _figure(picture: GalleryPicture) -> str:
    file = escape(picture.file)
    return (
        f'<figure><a href="{file}"><img src="{file}" alt="{escape(picture.alt)}" loading="lazy"'
        f' width="{picture.width}" height="{picture.height}"></a>'
        f"<figcaption><b>{escape(picture.title)}</b><span>{escape(picture.note)}</span></figcaption></figure>"
    )


@lru_cache(1)
def _fonts() -> str:
    """The cabinet's letters, inside the page: it looks the same on a machine without a network."""
    faces = []
    for weight, name in ((500, "Medium"), (700, "Bold")):
        data = base64.b64encode((FONT_FOLDER / f"TableSans-{name}.ttf").read_bytes()).decode("ascii")
        faces.append(
            f'@font-face{{font-family:"Table Sans";font-weight:{weight};'
            f"src:url(data:font/ttf;base64,{data})}}"
        )
    return "".join(faces)
