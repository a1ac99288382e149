import type {
  InspectedCoordination,
  InspectedHandler,
  ConsoleLog,
  InspectedMemory,
  OperatorActivity,
  InspectedObject,
  InspectedObjectDetails,
  ConsoleOverview,
  InspectedPermission,
  ObjectPhase,
  InspectedWatch,
  InspectedWebhook,
} from '../../../libs/kopf-console/src/console.api.js';
import type { OperatorEvent } from '../../../libs/kopf/src/inspection/event-log/operator.event.js';

/** Answers of every route: an operator with work in all states. Times are around `now`, in milliseconds since the epoch. */
export function createAnswers(now: number, objects: readonly InspectedObject[]) {
  const [first, second, third, fourth] = objects;
  const overview: ConsoleOverview = {
    version: '0.1.0',
    operators: ['shop', 'billing'],
    operator: 'shop',
    framework: 'nestjs-kopf',
    state: 'running',
    since: now - 9_300_000,
    paused: [],
    identity: 'shop-7d9f8-x2v4q',
    cluster: { host: 'https://10.0.0.1:6443', version: 'v1.36.0' },
    counts: {
      objects: objects.length,
      inWork: 2,
      waiting: 3,
      failing: 15,
      failed: 1,
      stuck: 0,
      deleting: 1,
      daemons: 12,
      timers: 4,
    },
    resources: [
      { resource: 'shops.example.com', kind: 'Shop', namespaced: true, objects: objects.length },
      { resource: 'deployments.apps', kind: 'Deployment', namespaced: true, objects: 12 },
    ],
    actions: ['retry', 'postpone', 'complete', 'repeat', 'release', 'pause', 'resume', 'memo', 'logs'],
    user: 'ada@example.com',
    recordedSince: now - 7_200_000,
    now,
  };
  const answer: OperatorActivity = {
    now,
    inWork: [
      { ...first, handler: 'create', since: now - 1800, attempt: 1 },
      { ...second, handler: 'update/spec.size', since: now - 42_000, attempt: 3 },
    ],
    waiting: [
      {
        ...third,
        handler: 'create',
        state: 'waiting',
        attempts: 2,
        dueAt: now + 12_000,
        error: 'The database does not answer.',
      },
      { ...fourth, handler: 'delete', state: 'waiting', attempts: 7, dueAt: now + 95_000 },
    ],
    failing: [
      {
        kind: 'failed',
        error: 'The plan gold does not exist.',
        handler: 'create',
        objects: objects.slice(14, 15),
        count: 1,
        firstAt: now - 7_200_000,
        lastAt: now - 7_190_000,
      },
      {
        kind: 'retrying',
        error: 'connect ECONNREFUSED 10.1.…:5432',
        handler: 'create',
        objects: objects.slice(0, 12),
        count: 12,
        firstAt: now - 600_000,
        lastAt: now - 4000,
      },
      {
        kind: 'retrying',
        error: 'Quota exceeded: requested: pods=…, used: pods=…, limited: pods=…',
        handler: 'update/spec.size',
        objects: objects.slice(12, 14),
        count: 2,
        firstAt: now - 61_000,
        lastAt: now - 15_000,
      },
    ],
    totals: { inWork: 2, waiting: 3, failing: 15, failed: 1, stuck: 0 },
  };
  const log: ConsoleLog = { beganAt: now - 120_000, events: createHistory(first) };
  const handlers: readonly InspectedHandler[] = [
    {
      kind: 'create',
      id: 'create',
      source: 'ShopOperator.create',
      selector: 'shops.example.com',
      filters: ['labels: tier = gold'],
      calls: 1284,
      succeeded: 1201,
      retried: 80,
      failed: 3,
      running: 1,
      rate: 18.4,
      p50: 0.042,
      p95: 0.31,
      p99: 1.9,
      errors: [{ error: 'connect ECONNREFUSED 10.1.2.3:5432', at: now - 4000, object: third }],
    },
    {
      kind: 'update',
      id: 'update/spec.size',
      source: 'ShopOperator.resize',
      selector: 'shops.example.com',
      filters: ['field: spec.size'],
      calls: 210,
      succeeded: 208,
      retried: 2,
      failed: 0,
      running: 1,
      rate: 1.2,
      p50: 0.12,
      p95: 0.8,
      p99: 2.2,
      errors: [],
    },
    {
      kind: 'timer',
      id: 'check',
      source: 'ShopOperator.check',
      selector: 'shops.example.com',
      filters: [],
      calls: 0,
      succeeded: 0,
      retried: 0,
      failed: 0,
      running: 0,
      rate: 0,
      errors: [],
    },
  ];
  const watches: readonly InspectedWatch[] = [
    {
      resource: 'shops.example.com',
      kind: 'Shop',
      state: 'watching',
      since: now - 3_600_000,
      lastEventAt: now - 1200,
      resourceVersion: '184467',
      objects: objects.length,
      restarts: 2,
      bookmarks: 61,
      gone: 1,
      backlog: 0,
      lag: 0.004,
    },
    {
      resource: 'secrets',
      kind: 'Secret',
      namespace: 'team-a',
      state: 'forbidden',
      since: now - 60_000,
      objects: 0,
      restarts: 14,
      bookmarks: 0,
      gone: 0,
      error: 'secrets is forbidden: User "shop" cannot list resource "secrets"',
      backlog: 0,
    },
    {
      resource: 'deployments.apps',
      kind: 'Deployment',
      state: 'listing',
      since: now - 900,
      objects: 12,
      restarts: 0,
      bookmarks: 0,
      gone: 0,
      backlog: 3,
      lag: 1.2,
    },
  ];
  const coordination: InspectedCoordination = {
    mode: 'peering',
    identity: overview.identity,
    paused: [],
    lease: {
      name: 'shop',
      namespace: 'shop',
      holder: overview.identity,
      isLeader: true,
      renewedAt: now - 2000,
      transitions: 3,
    },
    peerings: [
      {
        name: 'default',
        rank: 'first',
        peers: [
          { identity: overview.identity, priority: 100, lastSeen: now - 5000, deadline: now + 55_000, self: true },
          {
            identity: 'ada@laptop/20261123/x1',
            priority: 0,
            lastSeen: now - 21_000,
            deadline: now + 39_000,
            self: false,
            message: 'pauses',
          },
        ],
      },
    ],
  };
  const webhooks: readonly InspectedWebhook[] = [
    {
      id: 'validate',
      kind: 'validate',
      source: 'ShopOperator.validate',
      selector: 'shops.example.com',
      calls: 312,
      refused: 4,
      failed: 0,
      p50: 0.003,
      p95: 0.011,
      last: [
        { at: now - 3000, allowed: true, duration: 0.002 },
        { at: now - 61_000, allowed: false, code: 403, message: 'A shop needs a size.', duration: 0.003 },
      ],
    },
  ];
  const memory: InspectedMemory = {
    objects: objects.length,
    indices: [{ id: 'shopsByOwner', keys: 21, values: 840 }],
    daemons: [
      { ...without(first), handler: 'monitor', kind: 'daemon', state: 'running' },
      { ...without(second), handler: 'check', kind: 'timer', state: 'waiting', nextAt: now + 31_000 },
    ],
    totals: { daemons: 8, timers: 4 },
    heap: { used: 148_200_000, limit: 4_290_000_000 },
  };
  const permissions: readonly InspectedPermission[] = [
    { verb: 'list', group: 'example.com', resource: 'shops', neededBy: ['create', 'check'], used: 12, granted: true },
    {
      verb: 'list',
      group: '',
      resource: 'secrets',
      namespace: 'team-a',
      neededBy: ['create'],
      used: 14,
      granted: false,
    },
    { verb: 'create', group: '', resource: 'events', neededBy: ['Kubernetes events'], used: 0, granted: 'unknown' },
    { verb: 'get', group: 'batch', resource: 'jobs', neededBy: [], used: 3, granted: true },
  ];
  return { overview, now: answer, log, handlers, watches, coordination, webhooks, memory, permissions };
}

function without({ resource, namespace, name }: InspectedObject) {
  return { resource, name, ...(namespace && { namespace }) };
}

const PHASES: readonly ObjectPhase[] = [
  'idle',
  'idle',
  'failing',
  'inWork',
  'waiting',
  'idle',
  'failed',
  'deleting',
  'stuck',
];

/** Makes as many objects, in all phases. */
export function createObjects(count: number, now: number): InspectedObject[] {
  return Array.from({ length: count }, (_, index) => {
    const phase = PHASES[index % PHASES.length];
    const isOpen = phase !== 'idle';
    return {
      resource: 'shops.example.com',
      kind: 'Shop',
      namespace: `team-${'abcd'[index % 4]}`,
      name: `shop-${String(index).padStart(6, '0')}`,
      uid: `uid-${index}`,
      phase,
      retries: phase === 'failing' ? (index % 9) + 1 : 0,
      handlers: isOpen ? ['create'] : [],
      deleting: phase === 'deleting',
      changedAt: now - index * 1000,
      ...(isOpen && { dueAt: now + (index % 50) * 1000 }),
      ...(phase === 'failing' && { error: 'connect ECONNREFUSED 10.1.2.3:5432' }),
    };
  });
}

/** Makes the details of an object, with a history of three attempts and a fourth to come. */
export function createDetails(object: InspectedObject, now: number): InspectedObjectDetails {
  const beganAt = now - 120_000;
  return {
    object,
    body: {
      apiVersion: 'example.com/v1',
      kind: object.kind,
      metadata: { name: object.name, namespace: object.namespace, labels: { tier: 'gold' } },
      spec: { size: 3, ports: [80, 443], password: '***', tls: null },
    },
    progress: [
      {
        handler: 'create',
        state: 'waiting',
        purpose: 'create',
        attempts: 3,
        startedAt: now - 110_000,
        dueAt: now + 40_000,
        error: 'connect ECONNREFUSED 10.1.2.3:5432',
      },
      { handler: 'announce', state: 'succeeded', purpose: 'create', attempts: 1, startedAt: now - 109_000 },
    ],
    repeatable: [],
    changes: [
      { operation: 'change', path: ['spec', 'size'], old: 2, new: 3 },
      { operation: 'add', path: ['metadata', 'labels', 'example.com/tier'], old: null, new: 'gold' },
    ],
    finalizers: [
      { name: 'kopf.zalando.org/KopfFinalizerMarker', owner: 'operator' },
      { name: 'example.com/backup', owner: 'others', reason: 'another controller has to remove it' },
    ],
    findings: [
      {
        code: 'handler-waits',
        text: `The next attempt of the handler create is due at ${new Date(now + 40_000).toISOString()}, after 3 attempts: connect ECONNREFUSED 10.1.2.3:5432`,
        at: now + 40_000,
        remedy: 'It is made then; a change of the object does not make it earlier, but Retry now in the console does.',
      },
      {
        code: 'change-not-handled',
        text: 'It has changed since it was handled last, and no handler has begun with the change: spec.size (change).',
        problem: true,
      },
    ],
    handlers: [
      { kind: 'create', id: 'create', source: 'ShopOperator.create', matches: true },
      {
        kind: 'update',
        id: 'update/spec.size',
        source: 'ShopOperator.resize',
        matches: false,
        exclusion: { filter: 'labels', key: 'tier', wanted: 'platinum', actual: 'gold' },
      },
      {
        kind: 'timer',
        id: 'check',
        source: 'ShopOperator.check',
        matches: false,
        exclusion: { filter: 'when', wanted: 'isOpen(spec)' },
      },
    ],
    events: createHistory(object),
    beganAt,
    kubernetesEvents: [
      {
        type: 'Warning',
        reason: 'Logging',
        message: 'Handler create failed temporarily: connect ECONNREFUSED 10.1.2.3:5432',
        at: now - 20_000,
        count: 3,
        source: 'kopf',
      },
      {
        type: 'Normal',
        reason: 'Created',
        message: 'Created the deployment.',
        at: now - 90_000,
        count: 1,
        source: 'shop',
      },
    ],
    relatives: [
      { relation: 'owner', resource: 'malls.example.com', kind: 'Mall', namespace: object.namespace, name: 'north' },
      {
        relation: 'child',
        resource: 'deployments.apps',
        kind: 'Deployment',
        namespace: object.namespace,
        name: object.name,
        ready: false,
      },
      { relation: 'reference', resource: 'secrets', kind: 'Secret', namespace: object.namespace, name: 'credentials' },
    ],
    daemons: [{ handler: 'monitor', kind: 'daemon', state: 'running' }],
    trace: 'https://traces.example.com/4bf92f3577b34da6',
  };
}

function createHistory({ kind, namespace, name }: InspectedObject): OperatorEvent[] {
  const object = { kind, name, ...(namespace && { namespace }) };
  const operator = { kind: 'operator', name: 'operator' } as const;
  const user = { kind: 'user', name: 'ada' } as const;
  const change = (
    number: number,
    type: 'added' | 'modified',
    fields: { path: string[]; old: unknown; new: unknown }[],
  ) => {
    return { number, type, resource: 'shops.example.com', fields, hiddenFrom: [] };
  };
  const call = (id: string, attempt: number) => ({ id, reason: 'create', attempt });
  const error = 'connect ECONNREFUSED 10.1.2.3:5432';
  return [
    {
      number: 1,
      time: 9.5,
      type: 'change',
      actor: user,
      text: `${kind} ${name} is created`,
      object,
      change: change(1, 'added', [{ path: ['spec', 'size'], old: null, new: 2 }]),
    },
    { number: 2, time: 10, type: 'call', actor: operator, text: 'create is called', object, call: call('create', 1) },
    {
      number: 3,
      time: 10.8,
      type: 'outcome',
      actor: operator,
      text: 'create has failed',
      object,
      call: { ...call('create', 1), outcome: 'retried', error },
    },
    {
      number: 4,
      time: 11,
      type: 'call',
      actor: operator,
      text: 'announce is called',
      object,
      call: call('announce', 1),
    },
    {
      number: 5,
      time: 11.1,
      type: 'outcome',
      actor: operator,
      text: 'announce has succeeded',
      object,
      call: { ...call('announce', 1), outcome: 'succeeded' },
    },
    {
      number: 6,
      time: 30,
      type: 'change',
      actor: user,
      text: `${kind} ${name} is changed: spec.size`,
      object,
      change: change(2, 'modified', [{ path: ['spec', 'size'], old: 2, new: 3 }]),
    },
    {
      number: 7,
      time: 40,
      type: 'call',
      actor: operator,
      text: 'create is called, attempt 2',
      object,
      call: call('create', 2),
    },
    {
      number: 8,
      time: 44,
      type: 'outcome',
      actor: operator,
      text: 'create has failed',
      object,
      call: { ...call('create', 2), outcome: 'retried', error },
    },
    {
      number: 9,
      time: 100,
      type: 'call',
      actor: operator,
      text: 'create is called, attempt 3',
      object,
      call: call('create', 3),
    },
    {
      number: 10,
      time: 100.2,
      type: 'outcome',
      actor: operator,
      text: 'create has failed',
      object,
      call: { ...call('create', 3), outcome: 'retried', error },
    },
  ];
}
