import { createHash } from 'node:crypto';
import type { OperatorEvent } from 'nestjs-kopf/inspection';
import { SimulationReport } from '../simulation.report.js';
import type { SimulationResult } from '../simulation.result.js';

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<!--<script>',
  'javascript:alert(1)',
  '${alert(1)}',
  '&lt;script&gt;',
];

/** A report with the text in each place that a user, an object, or an error can fill. */
function reportWith(text: string, changes: Partial<SimulationResult> = {}): SimulationReport {
  const actor = { kind: 'cluster', name: text } as const;
  const object = { kind: text, namespace: text, name: text };
  const fields = [{ path: ['data', text], old: text, new: { [text]: text } }];
  const change = { number: 1, type: 'modified', resource: text, fields, hiddenFrom: [text] } as const;
  const call = { id: text, reason: text, attempt: 1, outcome: 'failed', error: text } as const;
  const timeline: OperatorEvent[] = [
    { number: 1, time: 0, type: 'change', actor, text, object, change },
    { number: 2, time: 1.5, type: 'outcome', actor, text, object, call },
  ];
  const plan = { seed: 1, faults: [{ kind: 'stale', resource: text, fromChange: 1 } as const] };
  const violation = { check: 'always', message: text } as const;
  return new SimulationReport({
    findings: [
      { ...violation, others: [violation], plan, foundBy: plan, plans: 1, workload: [text], operations: 1, timeline },
    ],
    plans: 10,
    seed: 1,
    digest: 'a1b2',
    milliseconds: 1234,
    file: text,
    coverage: {
      writes: 2,
      crashedWrites: 1,
      unmet: ['the operator crashes after its <write> 9'],
      excused: [{ property: text, by: 'drift', runs: 7 }],
      faults: { [text]: 1 },
      sometimes: { [text]: false },
      points: { [text]: { tried: 1, total: 2 } },
      calls: [{ handler: text, cause: text, attempt: 4, runs: 3 }],
    },
    ...changes,
  });
}

/** The tags of a page, without its style and its script. */
function tagsOf(page: string): readonly string[] {
  return page.replace(/<(style|script)>[^]*?<\/\1>/g, '').match(/<[^>]*>/g)!;
}

describe('the page of a report', () => {
  it.each(PAYLOADS)('should show %j as text wherever it stands', (payload) => {
    const page = reportWith(payload).toHtml();
    expect(tagsOf(page).map((tag) => tag.split(/[\s>]/)[0])).toEqual(
      tagsOf(reportWith('harmless').toHtml()).map((tag) => tag.split(/[\s>]/)[0]),
    );
    expect(page.match(/<script\b/g)).toHaveLength(1);
    expect(tagsOf(page).filter((tag) => /\son\w+\s*=|javascript:/i.test(tag.replace(/"[^"]*"/g, '""')))).toEqual([]);
  });

  it('should load nothing, and run nothing but its own script', () => {
    const page = reportWith('a').toHtml();
    const hashOf = (tag: string): string => {
      const [, text] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page)!;
      return `'sha256-${createHash('sha256').update(text!).digest('base64')}'`;
    };
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)!;
    expect(policy!.replaceAll('&#39;', "'").split('; ')).toEqual([
      "default-src 'none'",
      `style-src ${hashOf('style')}`,
      `script-src ${hashOf('script')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page).not.toMatch(/https?:|@import|url\(|\ssrc=|\shref=|\sstyle=/);
  });

  it('should show the fields that differ side by side, and how to run it again', () => {
    const page = reportWith('a').toHtml();
    expect(page).toContain('<td class="old">&quot;a&quot;</td>');
    expect(page).toMatch(/<td class="new">\s*\{&quot;a&quot;:&quot;a&quot;\}\s*<\/td>/);
    expect(page).toContain('npx -p nestjs-kopf-cli kopf simulate a --replay &#39;{&quot;seed&quot;:1,');
    expect(page).toContain('<td>4+ × 3</td>');
    expect(page).toContain('the operator sees no a from change 1 on');
  });

  it('should say that nothing was found', () => {
    const page = reportWith('a', { findings: [] }).toHtml();
    expect(page).toContain('All checks have passed in all runs.');
    expect(page).toContain('<title>Simulation: no findings</title>');
  });
});

describe('the report as a text', () => {
  it('should count in the singular and in the plural', () => {
    const { findings } = reportWith('a');
    expect(String(reportWith('a', { plans: 1 }))).toMatch(/^1 plan of seed 1 in 1\.2 s, 1 finding\n/);
    expect(String(reportWith('a', { findings: [...findings, ...findings] }))).toMatch(
      /^10 plans of seed 1 in 1\.2 s, 2 findings\n/,
    );
    expect(String(reportWith('a', { findings: [] }))).toMatch(/^10 plans of seed 1 in 1\.2 s, no findings\n/);
    expect(String(reportWith('a'))).toContain('found by 1 of the plans; the smallest has 1 fault and 1 operation:');
  });
});

describe('the report as JSON', () => {
  it('should have a version, and all that the report has', () => {
    const report = reportWith('a', { file: undefined });
    const { version, ...rest } = JSON.parse(JSON.stringify(report));
    expect(version).toBe(1);
    expect(Object.keys(rest)).toEqual(['findings', 'plans', 'seed', 'coverage', 'digest', 'milliseconds']);
    expect(new SimulationReport(rest).toString()).toBe(String(report));
  });
});
