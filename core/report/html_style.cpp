// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_style.h"

namespace mantissa {

const char* const kReportStyle = R"css(
:root { color-scheme: light dark; --window: #EEEFF1; --panel: #FFFFFF; --alternate: #F7F8F9;
  --border: #C6CACE; --grid: #E4E7EA; --text: #1E2226; --muted: #585F66; --warn: #8A5A00;
  --warn-ground: #FBF1DB; --fp32: #0072B2; --bf16: #009E73; --fp16: #D55E00; --tf32: #CC79A7;
  --fifth: #B07800; --sixth: #2B8CC4; --seventh: #6B7278; }
@media (prefers-color-scheme: dark) { :root { --window: #26292D; --panel: #1A1C1F;
  --alternate: #1F2225; --border: #42474D; --grid: #2B2F33; --text: #E3E6E9; --muted: #A3ABB3;
  --warn: #F2C14E; --warn-ground: #3A3220; --fp32: #4BA3E3; --bf16: #2FC197; --fp16: #F07C2B;
  --tf32: #D88DB6; --fifth: #E69F00; --sixth: #56B4E9; --seventh: #A3ABB3; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--window); color: var(--text);
  font: 14px/1.45 system-ui, sans-serif; }
main { max-width: 1320px; margin: 0 auto; padding: 24px; }
h1 { font-size: 24px; margin: 0; }
h2 { font-size: 16px; margin: 0 0 8px; }
table + h2 { margin-top: 14px; }
section { background: var(--panel); border: 1px solid var(--border); border-radius: 2px;
  padding: 12px 16px; margin-top: 12px; overflow-x: auto; }
p { margin: 4px 0; }
.muted { color: var(--muted); fill: var(--muted); }
.verdict { font-weight: 600; }
.warnings { background: var(--warn-ground); color: var(--warn); border-color: var(--warn); }
.warnings ul { margin: 0; padding-left: 20px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--grid);
  vertical-align: top; overflow-wrap: anywhere; }
thead th { border-bottom: 1px solid var(--border); }
tbody th { font-weight: 400; color: var(--muted); }
.figures td, .figures thead th + th { text-align: right; font-variant-numeric: tabular-nums;
  padding: 3px 0 3px 12px; }
.note { color: var(--muted); display: inline-block; min-width: 5.5em; }
.swatch { display: inline-block; width: 14px; height: 3px; margin-right: 6px;
  vertical-align: middle; background: currentColor; }
.facts { columns: 3 300px; column-gap: 32px; font-size: 13px; }
.facts div { display: flex; gap: 12px; justify-content: space-between; break-inside: avoid;
  border-bottom: 1px solid var(--grid); padding: 2px 0; }
.facts span + span { text-align: right; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(520px, 100%), 1fr));
  gap: 12px; background: none; border: 0; padding: 0; }
figure { margin: 0; background: var(--panel); border: 1px solid var(--border); padding: 4px 8px; }
figcaption { color: var(--muted); font-size: 12px; padding: 0 4px 4px; }
.chart { width: 100%; height: auto; display: block; }
.chart text { fill: var(--text); font-size: 12px; font-family: system-ui, sans-serif; }
.chart .title { font-weight: 600; font-size: 13px; }
.chart .title tspan { font-weight: 400; font-size: 12px; }
.chart .number, .chart .small { font-size: 11px; }
.chart .number, .chart .muted { fill: var(--muted); }
.chart .grid { stroke: var(--grid); fill: none; }
.chart .frame { stroke: var(--border); fill: none; }
.chart .line { stroke: currentColor; fill: none; stroke-width: 1.3; stroke-linejoin: round; }
.chart .raw { stroke: currentColor; fill: none; opacity: 0.22; }
.chart .limit { stroke: currentColor; fill: none; stroke-dasharray: 4 3; }
.chart .bar { stroke: currentColor; stroke-width: 3; }
.chart .leader { stroke: currentColor; fill: none; opacity: 0.6; }
.chart .mark { stroke: currentColor; stroke-width: 1.4; fill: none; }
.chart .solid { fill: currentColor; stroke: none; }
.chart .warn { color: var(--warn); }
.k-fp32 { color: var(--fp32); } .k-bf16 { color: var(--bf16); } .k-fp16 { color: var(--fp16); }
.k-tf32 { color: var(--tf32); } .k-5 { color: var(--fifth); } .k-6 { color: var(--sixth); }
.k-7 { color: var(--seventh); }
@media print {
  :root { color-scheme: light; --window: #FFFFFF; --panel: #FFFFFF; --alternate: #FFFFFF;
    --border: #C6CACE; --grid: #E4E7EA; --text: #000000; --muted: #404448; --warn: #8A5A00;
    --warn-ground: #FFFFFF; --fp32: #0072B2; --bf16: #009E73; --fp16: #D55E00; --tf32: #CC79A7;
    --fifth: #B07800; --sixth: #2B8CC4; --seventh: #6B7278; }
  main { padding: 0; max-width: none; }
  body { font-size: 10pt; }
  section, figure { break-inside: avoid; }
  section.long { break-inside: auto; }
  tr { break-inside: avoid; }
  .charts { grid-template-columns: 1fr 1fr; }
  .facts { columns: 2; }
}
)css";

} // namespace mantissa
