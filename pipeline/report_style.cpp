// How the report page looks and what it does when clicked: its style sheet and its script.
#include "pipeline/report_style.hpp"

namespace contexton {

// Series colours: Okabe and Ito's, which readers with any colour vision can tell apart, made darker on white
// and lighter on black where their contrast was too low.
const std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #ffffff; --card: #ffffff; --raised: #f5f6f8; --line: #e2e5ea; --line-strong: #b4bcc8; --edge: #8a95a5;
  --ink: #1b2330; --ink-soft: #586376; --accent: #1f5fa8; --mark: rgba(31, 95, 168, .09);
  --s0: #0072b2; --s1: #c85200; --s2: #00845f; --s3: #a8528a; --s4: #a87000; --s5: #3a8fc7; --s6: #5c6470;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --card: #1c2128; --raised: #1b2027; --line: #2b323c; --line-strong: #4d5867; --edge: #7d8999;
    --ink: #e6e9ee; --ink-soft: #a3adba; --accent: #7db4f0; --mark: rgba(125, 180, 240, .13);
    --s0: #56aee8; --s1: #f08a4b; --s2: #2fbd92; --s3: #dd97c0; --s4: #e6ac3a; --s5: #9ad0f5; --s6: #a3adba;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.25rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 400 15px/1.55 var(--sans); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.page { max-width: 1200px; margin: 0 auto; padding: 0 1.25rem 5rem; }
main { min-width: 0; }
@media (min-width: 1100px) {
  .page { display: grid; grid-template-columns: 190px minmax(0, 1fr); column-gap: 3rem; padding: 0 2rem 6rem; }
}

/* Title and facts */
header { padding: 2.5rem 0 1.75rem; }
.eyebrow { margin: 0 0 .35rem; color: var(--ink-soft); font-size: .8rem; letter-spacing: .02em; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.3rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
h3, figcaption { margin: 0 0 .5rem; font-size: .9rem; line-height: 1.4; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0 0 .9rem; max-width: 68ch; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .8rem 2.25rem; margin: 1.4rem 0 0; }
.facts div { min-width: 0; }
.facts dt { color: var(--ink-soft); font-size: .78rem; }
.facts dd { margin: 0; font-weight: 500; overflow-wrap: anywhere; }

/* Contents, on wide screens only */
nav { display: none; }
@media (min-width: 1100px) {
  nav { display: block; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto;
        padding: 2.75rem 0 2rem; font-size: .82rem; line-height: 1.35; }
}
nav ol { margin: 0; padding: 0; list-style: none; border-left: 1px solid var(--line); }
nav a { display: block; margin-left: -1px; padding: .28rem .5rem .28rem .85rem; border-left: 2px solid transparent;
        color: var(--ink-soft); overflow-wrap: anywhere; }
nav a:hover { color: var(--ink); text-decoration: none; }
nav a[aria-current] { color: var(--ink); border-left-color: var(--accent); font-weight: 600; }

/* Sections */
section { padding: 2rem 0 1.1rem; border-top: 1px solid var(--line); }
section > .head { margin-bottom: 1.1rem; }
.head .name { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .7rem; }
.head p { margin: .3rem 0 0; color: var(--ink-soft); }
.badge { padding: .08rem .45rem; border: 1px solid var(--line); border-radius: 4px; background: var(--raised);
         color: var(--ink-soft); font: 500 .76rem/1.5 var(--mono); overflow-wrap: anywhere; }
.block { margin: 0 0 1.75rem; }
.note { color: var(--ink-soft); font-size: .85rem; }
details > summary { cursor: pointer; color: var(--ink-soft); font-size: .85rem; }
details > summary:hover { color: var(--ink); }
details[open] > summary { margin-bottom: .7rem; }
.parameters { margin-top: .6rem; }
.parameters dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .2rem 1.25rem; margin: 0;
                 padding: .75rem 1rem; border-radius: 6px; background: var(--raised); font: 400 .8rem/1.5 var(--mono); }
.parameters dt { color: var(--ink-soft); overflow-wrap: anywhere; }
.parameters dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.quiet { margin: 0; padding: 0; list-style: none; }
.quiet li { padding: .7rem 0; border-top: 1px solid var(--line); }
.quiet li:first-child { border-top: 0; }
.quiet h3 { margin: 0; font-size: 1rem; }
.quiet p { margin: .15rem 0 0; color: var(--ink-soft); font-size: .88rem; }

/* The graph */
.graph { overflow-x: auto; margin: 0 0 .6rem; }
.graph svg { display: block; max-width: 100%; height: auto; }

/* Key figures */
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr)); gap: .75rem; margin: 0 0 1rem; }
.figures > div { display: flex; flex-direction: column; min-width: 0; padding: .7rem .9rem .75rem; border: 1px solid var(--line);
                 border-radius: 8px; background: var(--raised); }
.figures dd { order: -1; margin: 0; font-size: 1.45rem; line-height: 1.25; font-weight: 600; letter-spacing: -.01em;
              font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figures dt { font-size: .82rem; line-height: 1.35; overflow-wrap: anywhere; }
.figures dt span { display: block; color: var(--ink-soft); font-size: .76rem; }

/* Pictures */
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--thumb, 160px)), 1fr));
            gap: 1rem .9rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.pictures.single { display: block; }
.pictures figure { margin: 0; min-width: 0; }
.pictures a { display: block; color: inherit; }
.pictures img { display: block; max-width: 100%; height: auto; border-radius: 4px; background: var(--raised); }
.pictures a:hover img { outline: 2px solid var(--accent); outline-offset: 1px; }
.pictures figcaption { display: -webkit-box; margin: .35rem 0 0; overflow: hidden; -webkit-box-orient: vertical;
                       -webkit-line-clamp: 3; color: var(--ink-soft); font-size: .78rem; font-weight: 400; }
.pictures .absent { display: grid; place-items: center; height: 5rem; border: 1px dashed var(--line-strong); border-radius: 4px;
                    color: var(--ink-soft); font-size: .78rem; }

/* Legends */
.legend, .keys { display: flex; flex-wrap: wrap; gap: .35rem 1.1rem; margin: 0; padding: 0; list-style: none; font-size: .85rem; }
.legend li, .keys li { display: flex; align-items: center; gap: .45rem; min-width: 0; overflow-wrap: anywhere; }
.legend i { flex: none; width: 1rem; height: 1rem; border-radius: 3px; box-shadow: inset 0 0 0 1px rgba(128, 128, 128, .55); }
.keys { margin-bottom: .5rem; color: var(--ink-soft); font-size: .8rem; }
.keys svg { flex: none; }

/* Plots */
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 390px), 1fr)); gap: 1.5rem 2rem; }
.chart { margin: 0; min-width: 0; max-width: 470px; }
.plot { display: block; width: 100%; height: auto; }
.plot text { fill: var(--ink-soft); font: 400 11px var(--sans); font-variant-numeric: tabular-nums; }
.plot .grid { stroke: var(--line); }
.plot .axis { stroke: var(--line-strong); }
.line { fill: none; stroke: var(--series); stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.dot, .bar { fill: var(--series); }
.bar:hover { opacity: .75; }
.band { fill: transparent; }
.band:hover { fill: var(--mark); }
.s0 { --series: var(--s0); } .s1 { --series: var(--s1); } .s2 { --series: var(--s2); } .s3 { --series: var(--s3); }
.s4 { --series: var(--s4); } .s5 { --series: var(--s5); } .s6 { --series: var(--s6); }
.d1 .line { stroke-dasharray: 6 4; } .d2 .line { stroke-dasharray: 1.5 4; }

/* Tables */
.scroll { overflow: auto; max-height: 30rem; border: 1px solid var(--line); border-radius: 8px; }
table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: .84rem; line-height: 1.4; }
th { position: sticky; top: 0; padding: 0; background: var(--raised); border-bottom: 1px solid var(--line); text-align: left;
     font-weight: 600; }
th button { display: flex; align-items: baseline; gap: .35rem; width: 100%; padding: .45rem .8rem; border: 0;
            background: none; color: inherit; font: inherit; text-align: inherit; white-space: nowrap; cursor: pointer; }
th button:focus-visible { outline-offset: -2px; }
th button::after { content: "\2195"; color: var(--line-strong); font-size: .8em; }
th[aria-sort="ascending"] button::after { content: "\2191"; color: var(--accent); }
th[aria-sort="descending"] button::after { content: "\2193"; color: var(--accent); }
th.number button { justify-content: flex-end; }
td { padding: .36rem .8rem; border-top: 1px solid var(--line); vertical-align: top; }
tbody tr:first-child td { border-top: 0; }
tbody tr:hover td { background: var(--mark); }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td > span { display: block; max-width: 24rem; overflow-wrap: break-word; }

@media (max-width: 600px) {
  .page { padding: 0 1rem 3rem; }
  header { padding-top: 1.75rem; }
  h1 { font-size: 1.55rem; }
  .figures { grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); }
  .graph svg { max-width: none; }
  td > span { width: max-content; max-width: 15rem; }
}
@media print {
  nav { display: none; }
  .page { display: block; max-width: none; }
  .scroll { max-height: none; overflow: visible; }
  .chart, .pictures figure { break-inside: avoid; }
}
)css";

const std::string_view kReportScript = R"js(
(() => {
  "use strict";
  const texts = new Intl.Collator("en", { numeric: true });

  // Numbers come before texts; what has no value comes last in both directions.
  const valueOf = cell => {
    if (!cell) return { rank: 2 };
    if (cell.dataset.v !== undefined) {
      const number = Number(cell.dataset.v);
      return Number.isNaN(number) ? { rank: 2 } : { rank: 0, number };
    }
    const text = cell.textContent;
    return text === "" ? { rank: 2 } : { rank: 1, text };
  };
  const compare = (a, b, sign) => {
    if (a.rank === 2 || b.rank === 2) return a.rank - b.rank;
    if (a.rank !== b.rank) return sign * (a.rank - b.rank);
    if (a.rank === 1) return sign * texts.compare(a.text, b.text);
    return a.number === b.number ? 0 : sign * (a.number < b.number ? -1 : 1);
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const asGiven = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const order = next[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", order);
      let rows = asGiven;
      if (order !== "none") {
        const sign = order === "ascending" ? 1 : -1;
        rows = asGiven.map(row => ({ row, value: valueOf(row.cells[column]) }))
                      .sort((a, b) => compare(a.value, b.value, sign))
                      .map(keyed => keyed.row);
      }
      body.append(...rows);
    }));
  }

  // The contents mark the last section whose heading has reached the upper part of the window.
  const links = [...document.querySelectorAll("nav a")];
  const targets = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1))) ||
                                    document.getElementById(link.hash.slice(1)));
  let waiting = false;
  const mark = () => {
    waiting = false;
    let current = 0;
    targets.forEach((target, i) => { if (target && target.getBoundingClientRect().top < 120) current = i; });
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    if (atEnd && scrollY > 0) current = links.length - 1;
    links.forEach((link, i) => i === current ? link.setAttribute("aria-current", "true")
                                             : link.removeAttribute("aria-current"));
  };
  if (links.length > 0) {
    addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
    mark();
  }
})();
)js";

}  // namespace contexton
