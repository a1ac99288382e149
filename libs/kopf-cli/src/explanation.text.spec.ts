import type { KubeObject, Peer } from 'nestjs-kopf';
import { explain, KOPF_FINALIZER } from 'nestjs-kopf/tooling';
import { formatTimestamp } from 'kube-common';
import { PLAIN } from './colors.js';
import { formatExplanation } from './explanation.text.js';

const NOW = Date.parse('2020-12-31T23:59:59Z');
const PREFIX = 'kopf.zalando.org';
const SPEC = { size: 1 };
/** As Python's Kopf 1.44.6 stores it. */
const HANDLED = `{"spec":{"size":1}}\n`;

const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000);
const isoAt = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
/** The time of the day where the test runs, with the date, as it is after midnight in UTC. */
const dayAndTime = (seconds: number): string => {
  const at = new Date(NOW + seconds * 1000);
  const time = at.toLocaleTimeString('en', { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const isToday = at.toDateString() === new Date(NOW).toDateString();
  return `${isToday ? '' : `${at.toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' })}, `}${time}`;
};

interface Given {
  readonly annotations?: Record<string, unknown>;
  readonly status?: object;
  readonly metadata?: object;
  readonly spec?: object;
  readonly peers?: readonly Peer[];
}

function explainObject({ annotations = {}, status, metadata, spec = SPEC, peers = [] }: Given) {
  const texts = Object.entries(annotations).map(([name, value]) => {
    const key = name.includes('/') ? name : `${PREFIX}/${name}`;
    return [key, typeof value === 'string' ? value : JSON.stringify(value)];
  });
  const body: KubeObject = {
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name: 'web', namespace: 'default', uid: 'u', ...metadata, annotations: Object.fromEntries(texts) },
    spec,
    ...(status && { status }),
  };
  const { change: _, ...explanation } = explain({ body, settings: { finalizer: KOPF_FINALIZER }, peers, now: NOW });
  return explanation;
}

const waiting = { started: at(-60), delayed: at(42), purpose: 'create', retries: 3, message: 'not yet' };
const deleting = { deletionTimestamp: '2020-12-31T23:00:00Z' };
const peer = (identity: string, priority: number, message?: string): Peer => {
  return { identity, priority, lifetime: 60, lastSeen: NOW, ...(message && { message }) };
};

describe('explain', () => {
  it.each<[string, Given, string, readonly string[]]>([
    ['an object that was never handled', {}, 'create', ['never-handled']],
    ['an object that was handled', { annotations: { 'last-handled-configuration': HANDLED } }, 'noop', ['handled']],
    [
      'an object that was changed while no operator was there',
      { annotations: { 'last-handled-configuration': HANDLED }, spec: { size: 2 } },
      'update',
      ['change-not-handled'],
    ],
    ['a handler that waits', { annotations: { create: waiting } }, 'create', ['handler-waits']],
    [
      "a handler that waits, of Python's Kopf, in annotations and in the status",
      { annotations: { create: waiting }, status: { kopf: { progress: { create: { ...waiting, subrefs: null } } } } },
      'create',
      ['handler-waits'],
    ],
    [
      'a handler that should have been called',
      { annotations: { create: { ...waiting, delayed: at(-600) } } },
      'create',
      ['handler-overdue'],
    ],
    [
      'a handler that has failed while another one waits',
      {
        annotations: { create: { ...waiting, delayed: null, failure: true }, other: { ...waiting, started: at(-61) } },
      },
      'create',
      ['handler-failed', 'handler-waits'],
    ],
    [
      'a handler that was begun',
      { annotations: { create: { started: at(-5), retries: 1, purpose: 'create' } } },
      'create',
      ['handler-begun'],
    ],
    [
      'a deletion that waits for a handler',
      {
        metadata: { ...deleting, finalizers: [KOPF_FINALIZER] },
        annotations: { 'last-handled-configuration': HANDLED, remove: { ...waiting, purpose: 'delete' } },
      },
      'delete',
      ['deletion-waits-for-handlers', 'handler-waits'],
    ],
    [
      'a deletion without an operator',
      {
        metadata: { ...deleting, finalizers: [KOPF_FINALIZER] },
        annotations: { 'last-handled-configuration': HANDLED },
      },
      'delete',
      ['deletion-without-operator'],
    ],
    [
      'a deletion that others block',
      { metadata: { ...deleting, finalizers: ['example.com/other'] } },
      'free',
      ['deletion-blocked-by-others'],
    ],
    [
      'state that cannot be read',
      { annotations: { 'kopf-managed': 'yes', create: '{"started"' } },
      'create',
      ['state-unreadable', 'never-handled'],
    ],
    [
      'operators that pause for a person',
      { annotations: { 'last-handled-configuration': HANDLED }, peers: [peer('me', 100, 'upgrade'), peer('pod', 0)] },
      'noop',
      ['handled', 'peers-pause'],
    ],
    [
      'operators that pause each other',
      { peers: [peer('a', 0), peer('b', 0)] },
      'create',
      ['never-handled', 'peers-conflict'],
    ],
  ])('should explain %s', (_what, given, reason, codes) => {
    const explanation = explainObject(given);
    expect(explanation.findings.map(({ code }) => code)).toEqual(codes);
    expect(explanation.reason).toBe(reason);
  });

  it('should say when a handler has failed for good, and that it is not retried', () => {
    const failed = { started: at(-60), stopped: at(-50), purpose: 'create', retries: 2, failure: true, message: 'no' };
    const { findings } = explainObject({
      annotations: { 'last-handled-configuration': HANDLED, create: failed },
    });
    expect(findings).toMatchObject([
      {
        code: 'handler-failed',
        text: `The handler create has failed for good at ${isoAt(-50)}, after 2 attempts: no`,
        at: NOW - 50_000,
        problem: true,
      },
      { code: 'not-retried' },
    ]);
  });

  it('should not say that nothing is to do if it is not known how handlers have ended', () => {
    const { findings } = explainObject({ annotations: { 'last-handled-configuration': HANDLED } });
    expect(findings[0].text).toContain('does not show whether a handler has failed for good');
  });

  it('should not take for an error that a handler waits for its sub-handlers', () => {
    const parent = { ...waiting, message: 'None', subrefs: ['create/inner'] };
    const { state, findings } = explainObject({ annotations: { create: parent } });
    expect(state[0].progress[0]).not.toHaveProperty('message');
    expect(findings[0].text).toMatch(/after 3 attempts$/);
  });

  it('should name places, times, and errors as evidence', () => {
    const { state, findings } = explainObject({ annotations: { create: waiting } });
    expect(state[0].progress).toEqual([
      {
        id: 'create',
        places: [`metadata.annotations['${PREFIX}/create']`],
        state: 'waiting',
        attempts: 3,
        purpose: 'create',
        started: waiting.started,
        due: waiting.delayed,
        dueIn: 42,
        message: 'not yet',
      },
    ]);
    expect(findings[0]).toMatchObject({
      text: `The next attempt of the handler create is due at ${isoAt(42)}, after 3 attempts: not yet`,
      at: NOW + 42_000,
      evidence: `metadata.annotations['${PREFIX}/create']`,
    });
  });

  it('should find the state of an operator with a custom prefix, and its finalizer', () => {
    const { state, finalizers } = explainObject({
      annotations: {
        'op.example.com/kopf-managed': 'yes',
        'op.example.com/create': waiting,
        'other.io/config': { a: 1 },
      },
      metadata: { finalizers: ['op.example.com/finalizer', 'other.io/finalizer'] },
    });
    expect(state.map(({ prefix }) => prefix)).toEqual(['op.example.com']);
    expect(finalizers).toEqual([
      { name: 'op.example.com/finalizer', owner: 'operator' },
      { name: 'other.io/finalizer', owner: 'others' },
    ]);
  });

  it('should show the changes of fields that handlers watch', () => {
    const stored = { spec: SPEC, status: { phase: 'new' } };
    const { changes } = explainObject({
      annotations: { 'last-handled-configuration': stored },
      status: { phase: 'old' },
    });
    expect(changes).toEqual([['change', ['status', 'phase'], 'new', 'old']]);
  });

  it('should be a text for people', () => {
    const explanation = explainObject({
      annotations: { 'last-handled-configuration': HANDLED, create: waiting },
      metadata: { finalizers: [KOPF_FINALIZER] },
      spec: { size: 2 },
    });
    const handlers = [
      {
        kind: 'create',
        id: 'create',
        source: 'Op.create',
        matches: false,
        exclusion: { filter: 'labels', key: 'a', wanted: 'b' },
      },
    ];
    expect(formatExplanation({ ...explanation, handlers }, PLAIN, NOW)).toBe(
      `KopfExample default/web
  - The next attempt of the handler create is due in 42 s (${dayAndTime(42)}), after 3 attempts: not yet (metadata.annotations['${PREFIX}/create'])
      It is made then; a change of the object does not make it earlier, but Retry now in the console does.

Progress of handlers, by ${PREFIX}
  create: waiting; attempts: 3; for: create; next: in 42 s (${dayAndTime(42)}); last error: not yet

Changes since it was handled last
  change spec.size: 1 -> 2

Finalizers
  ${KOPF_FINALIZER} (of an operator)

Handlers
  not called  create create (Op.create): labels a must be b, and is absent`,
    );
  });
});
