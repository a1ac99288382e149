import { createHash } from 'node:crypto';
import { describeFault } from '../simulation.plan.js';
import type { SimulationCallCoverage, SimulationCoverage } from '../simulation.coverage.js';
import type { SimulationFinding, SimulationResult } from '../simulation.result.js';
import { markup, Markup } from './html.markup.js';
import { renderLog } from './report.log.js';
import { REPORT_SCRIPT } from './report.script.js';
import { REPORT_STYLES } from './report.styles.js';
import { describeReplay } from './report.text.js';

/** The content security policy: only the style and the script of this page may be loaded or run, whatever text is in it. */
const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(REPORT_STYLES)}'`,
  `script-src '${hashOf(REPORT_SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The script with its tags. It is in no tagged template, as bundlers rewrite closing script tags in those, and need a package for it. */
const SCRIPT = new Markup(`<script>${REPORT_SCRIPT}</script>`);

/** Renders a report as a self-contained page. */
export function renderPage(result: SimulationResult): string {
  const { findings } = result;
  const title = `Simulation: ${describeCount(findings.length)}`;
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(REPORT_STYLES)}</style>
</head>
<body>
<main>
  <header>
    <h1>Simulation</h1>
    <span class="badge ${findings.length ? 'bad' : 'good'}">${describeCount(findings.length)}</span>
  </header>
  ${renderFacts(result)}
  <h2>Findings</h2>
  ${findings.length ? findings.map(renderFinding.bind(undefined, result)) : markup`<p>All checks have passed in all runs.</p>`}
  <h2>Coverage</h2>
  ${renderCoverage(result.coverage)}
</main>
${SCRIPT}
</body>
</html>
`;
  return String(page);
}

function renderFacts({ plans, milliseconds, seed, coverage }: SimulationResult): Markup {
  const faults = Object.values(coverage.faults).reduce((sum, count) => sum + count, 0);
  const facts = [
    ['Plans', plans],
    ['Seed', seed],
    ['Faults that happened', faults],
    ['Time', `${(milliseconds / 1000).toFixed(1)} s`],
  ] as const;
  return markup`<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function renderFinding(result: SimulationResult, finding: SimulationFinding, index: number): Markup {
  const { check, message, others, plan, plans, operations, timeline } = finding;
  const faults = plan.faults.map((fault) => markup`<li>${describeFault(fault)}</li>`);
  return markup`<article class="card" aria-labelledby="finding-${index + 1}">
    <p><span class="badge bad">${check}</span> <span class="soft">${plans > 0 ? `found by ${plans} of ${result.plans} plans` : ''}</span></p>
    <h3 id="finding-${index + 1}">${index + 1}. ${message}</h3>
    ${others.length ? markup`<ul class="soft">${others.map((other) => markup`<li>${other.check}: ${other.message}</li>`)}</ul>` : ''}
    <h4>The smallest plan</h4>
    <p class="soft">Seed ${plan.seed}, operations of the workload: ${operations}${plan.delays ? ', with delays' : ''}</p>
    <ul>${faults.length ? faults : markup`<li>no faults</li>`}</ul>
    <h4>Run it again</h4>
    <pre><code>${describeReplay(plan, result.file)}</code></pre>
    <details ${index === 0 ? markup`open` : ''}>
      <summary>What has happened (${timeline.length} events)</summary>
      ${renderLog(timeline)}
    </details>
  </article>`;
}

function renderCoverage({ points, unmet, excused, sometimes, calls }: SimulationCoverage): Markup {
  return markup`<div class="card scroll">
      <h3>Points at which a fault can matter</h3>
      <table>
        <thead><tr><th scope="col">Fault</th><th scope="col" class="number">Points tried</th><th scope="col">Share</th></tr></thead>
        <tbody>${Object.entries(points).map(
          ([kind, { tried, total }]) =>
            markup`<tr><td>${kind}</td><td class="number">${tried} of ${total}</td><td><progress class="bar" max="${total}" value="${tried}" aria-label="${kind}"></progress></td></tr>`,
        )}</tbody>
      </table>
    </div>
    ${unmet.length ? renderUnmet(unmet) : ''}
    ${excused.length ? renderExcused(excused) : ''}
    ${Object.keys(sometimes).length ? renderSometimes(sometimes) : ''}
    ${renderCalls(calls)}`;
}

function renderUnmet(unmet: SimulationCoverage['unmet']): Markup {
  return markup`<div class="card">
    <h3>Faults that have matched nothing</h3>
    <ul>${unmet.map((fault) => markup`<li>${fault}</li>`)}</ul>
  </div>`;
}

function renderExcused(excused: SimulationCoverage['excused']): Markup {
  const rows = excused.map(
    ({ property, by, runs }) => markup`<tr><td>${property}</td><td>${by}</td><td class="number">${runs}</td></tr>`,
  );
  return markup`<div class="card scroll">
    <h3>Excused: properties that a fault makes impossible</h3>
    <table><thead><tr><th scope="col">Property</th><th scope="col">By</th><th scope="col" class="number">Runs</th></tr></thead><tbody>${rows}</tbody></table>
  </div>`;
}

function renderSometimes(sometimes: SimulationCoverage['sometimes']): Markup {
  const rows = Object.entries(sometimes).map(([name, isReached]) => {
    const badge = isReached
      ? markup`<span class="badge good">reached</span>`
      : markup`<span class="badge bad">never reached</span>`;
    return markup`<tr><td>${name}</td><td>${badge}</td></tr>`;
  });
  return markup`<div class="card scroll">
    <h3>States that must be reached at some time</h3>
    <table><thead><tr><th scope="col">Property</th><th scope="col">Outcome</th></tr></thead><tbody>${rows}</tbody></table>
  </div>`;
}

/** A table with a row for each handler and cause and a column for each kind of fault: the attempts, and in how many runs they were seen. */
function renderCalls(calls: readonly SimulationCallCoverage[]): Markup {
  const faults = [...new Set(calls.map(({ fault }) => fault ?? ''))].sort();
  const rows = new Map<string, SimulationCallCoverage[]>();
  for (const call of calls) {
    const key = JSON.stringify([call.handler, call.cause]);
    rows.set(key, [...(rows.get(key) ?? []), call]);
  }
  return markup`<div class="card scroll">
    <h3>Calls of handlers, after which faults</h3>
    <p class="soft">Each cell has the attempts with the number of runs that had them: “2 × 15” is a second attempt in 15 runs.</p>
    <table>
      <thead><tr><th scope="col">Handler</th><th scope="col">Cause</th>${faults.map((fault) => markup`<th scope="col">${fault || 'no fault'}</th>`)}</tr></thead>
      <tbody>${[...rows.values()].map((row) => renderCallRow(row, faults))}</tbody>
    </table>
  </div>`;
}

function renderCallRow(calls: readonly SimulationCallCoverage[], faults: readonly string[]): Markup {
  const [{ handler, cause }] = calls as [SimulationCallCoverage];
  const cells = faults.map((fault) => {
    const own = calls.filter((call) => (call.fault ?? '') === fault).sort((one, other) => one.attempt - other.attempt);
    const texts = own.map(({ attempt, runs }) => `${attempt}${attempt === 4 ? '+' : ''} × ${runs}`);
    return markup`<td>${texts.join(', ') || markup`<span class="absent">never</span>`}</td>`;
  });
  return markup`<tr><td><code>${handler}</code></td><td>${cause}</td>${cells}</tr>`;
}

function describeCount(findings: number): string {
  if (findings === 0) return 'no findings';
  return findings === 1 ? '1 finding' : `${findings} findings`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
