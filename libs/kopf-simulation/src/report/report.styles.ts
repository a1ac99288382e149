/** The styles of the page, light and dark. The colours have a contrast of at least 4.5 to 1 on their background. */
export const REPORT_STYLES = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1c2330; --soft: #566072; --line: #d9dee6; --code: #eef1f5;
  --accent: #1d4ed8; --good: #17693a; --good-back: #dcf3e4; --bad: #a61b1b; --bad-back: #fde4e1;
  --operator: #1d4ed8; --user: #6b21a8; --cluster: #566072; --fault: #a61b1b; --fault-back: #fdf0ee;
  --old: #fdecea; --new: #e3f5e8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10141b; --card: #181e28; --text: #e4e8ef; --soft: #a3adbd; --line: #2d3645; --code: #222a37;
    --accent: #8ab4ff; --good: #86e0a6; --good-back: #15371f; --bad: #ffa49b; --bad-back: #43191a;
    --operator: #8ab4ff; --user: #d5a6ff; --cluster: #a3adbd; --fault: #ffa49b; --fault-back: #2b191d;
    --old: #3a1d20; --new: #17321f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { margin: 0; font-size: 26px; letter-spacing: -.01em; }
h2 { margin: 40px 0 12px; font-size: 19px; }
h3 { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
h4 { margin: 20px 0 6px; font-size: 13px; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; }
p { margin: 6px 0; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; }
.soft { color: var(--soft); }
.badge { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.good { color: var(--good); background: var(--good-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 14px 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 20px 0 0; padding: 0; }
.facts > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 16px; }
.facts dt { color: var(--soft); font-size: 13px; }
.facts dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px; border-bottom: 1px solid var(--line); }
th { font-size: 13px; color: var(--soft); font-weight: 600; }
tbody tr:last-child > * { border-bottom: 0; }
td { overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; }
.bar { display: block; width: 100%; min-width: 120px; height: 8px; margin-top: 8px; accent-color: var(--accent); }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: 6px 0; padding: 10px 12px; background: var(--code); border-radius: 8px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
ul { margin: 6px 0; padding-left: 20px; }
details > summary { cursor: pointer; border-radius: 4px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.filters { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; margin: 10px 0; }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px; max-width: 100%; }
.log td:first-child { width: 90px; }
.log td:nth-child(2) { width: 130px; font-weight: 600; white-space: nowrap; }
.operator { color: var(--operator); } .user { color: var(--user); } .cluster { color: var(--cluster); } .fault { color: var(--fault); }
tr.is-fault > td { background: var(--fault-back); }
tr.is-hidden-change > td:first-child { box-shadow: inset 3px 0 var(--fault); }
.fields { margin: 8px 0; table-layout: fixed; border: 1px solid var(--line); }
.fields td { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; width: auto !important; font-weight: 400 !important; white-space: pre-wrap !important; }
.fields td.old { background: var(--old); } .fields td.new { background: var(--new); }
.absent { color: var(--soft); font-style: italic; }
@media print { body { background: none; } .filters { display: none; } }
`;
