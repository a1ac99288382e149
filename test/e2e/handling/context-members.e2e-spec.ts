import { inspect } from 'node:util';
import {
  Convert,
  Daemon,
  Index,
  Mutate,
  OnChild,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnLog,
  OnLogin,
  OnProbe,
  OnReference,
  OnResume,
  OnStartup,
  OnUpdate,
  References,
  Timer,
  Validate,
  type ActivityContext,
  type AdmissionContext,
  type AdmissionFilterContext,
  type ChangeContext,
  type ChangeFilterContext,
  type ChildContext,
  type ConversionContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type LogContext,
  type LoginContext,
  type ObjectContext,
  type ReferenceContext,
  type TimerContext,
} from 'nestjs-kopf';
import { KopfProbes } from '../../../libs/kopf/src/health/kopf.probes.js';
import { createChild } from '../relations/relations.operator.js';
import { runPod } from '../logs/logs.operator.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { Widget, widget, WidgetV1Beta1 } from '../../support/objects/widgets.js';
import { provideProbes } from '../../support/operators/probes.js';

const INVOCATION = ['param', 'retry', 'started', 'runtime', 'logger', 'signal'];
const PARTS = ['body', 'spec', 'meta', 'status', 'name', 'namespace', 'uid', 'labels', 'annotations'];
const OBJECT = [...PARTS, 'resource', 'memo', 'indices', 'logger'];
const EVENTS = ['info', 'warn', 'exception'];
const CHANGE = ['reason', 'old', 'new', 'diff'];
const REVIEW = [
  'operation',
  'subresource',
  'dryrun',
  'warnings',
  'userinfo',
  'headers',
  'sslpeer',
  'old',
  'new',
  'diff',
];
const LINE = ['message', 'timestamp', 'container', 'containerId', 'restartCount', 'isTruncated', 'match', 'groups'];

const activity = [...INVOCATION, 'settings', 'memo', 'indices'];
const change = [...OBJECT, 'patch', ...INVOCATION, ...EVENTS, ...CHANGE, 'event', 'subhandler', 'execute'];
const daemon = [...OBJECT, 'patch', ...INVOCATION, ...EVENTS, 'event', 'stopped'];
const related = [...daemon, 'children', 'referents', 'missing'];
const admission = [...OBJECT, 'patch', ...INVOCATION, ...REVIEW];

/** The members of the contexts of all handlers, and of the filters, by the names of the methods. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  startup: activity,
  cleanup: activity,
  probe: activity,
  login: [...activity, 'withServiceAccount', 'withKubeConfig'],
  create: change,
  child: change,
  owned: [...change, 'parent'],
  update: change,
  field: change,
  resume: change,
  delete: change,
  event: [...OBJECT, 'patch', ...INVOCATION, ...EVENTS, 'type', 'event'],
  index: [...OBJECT, ...INVOCATION],
  daemon,
  timer: daemon,
  onChild: related,
  onReference: related,
  log: [...daemon, ...LINE],
  validate: admission,
  mutate: admission,
  convert: [...PARTS, 'from', 'to', 'param', 'logger', 'kept', 'keep'],
  'when of a change': [...OBJECT, 'patch', ...CHANGE],
  'value of a field': [...OBJECT, 'patch', ...CHANGE],
  'when of an event': [...OBJECT, 'patch', 'type', 'event'],
  'when of a daemon': [...OBJECT, 'patch'],
  'when of an index': [...OBJECT, 'patch'],
  'when of a review': [...OBJECT, 'patch', ...REVIEW],
  'initial delay': [...OBJECT, 'patch'],
};

/** What became of one context in all the ways in which its members can be taken at once. */
interface Taken {
  readonly keys: readonly string[];
  readonly spread: Readonly<Record<string, unknown>>;
  readonly rest: Readonly<Record<string, unknown>>;
  readonly assigned: Readonly<Record<string, unknown>>;
  readonly read: Readonly<Record<string, unknown>>;
  readonly printed: string;
  readonly json: string;
  readonly copiedJson: string;
}

const taken = new Map<string, Taken>();

function take(handler: string, context: object): void {
  if (taken.has(handler)) return;
  const { logger: _, ...rest } = context as { logger: unknown };
  const read = EXPECTED[handler].map((member) => [member, (context as Record<string, unknown>)[member]]);
  taken.set(handler, {
    keys: Object.keys(context),
    spread: { ...context },
    rest,
    assigned: Object.assign({}, context) as Record<string, unknown>,
    read: Object.fromEntries(read) as Record<string, unknown>,
    printed: inspect(context, { depth: 20 }),
    json: JSON.stringify(context),
    copiedJson: JSON.stringify({ ...context }),
  });
}

/** Members are functions that differ each time they are read, or values that stay the same. */
function comparable(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'function' ? 'function' : value]),
  );
}

let harness: OperatorHarness;

@References('spec.map', 'configmaps')
class Operator {
  @OnStartup()
  startup(context: ActivityContext) {
    take('startup', context);
  }
  @OnCleanup()
  cleanup(context: ActivityContext) {
    take('cleanup', context);
  }
  @OnProbe()
  probe(context: ActivityContext) {
    take('probe', context);
  }
  @OnLogin()
  login(context: LoginContext) {
    take('login', context);
    return { server: 'http://embedded', transport: harness.kube.transport() };
  }
  @OnCreate(...KEX, {
    when: (context: ChangeFilterContext) => {
      take('when of a change', context);
      return true;
    },
  })
  create(context: ChangeContext) {
    take('create', context);
    context.subhandler('child', (inner) => take('child', inner));
  }
  @OnCreate('configmaps', { ownedBy: 'kopfexamples' })
  owned(context: ChangeContext) {
    take('owned', context);
  }
  @OnUpdate(...KEX)
  update(context: ChangeContext) {
    take('update', context);
  }
  @OnField(...KEX, {
    field: 'spec.field',
    value: (_value: unknown, context: ChangeFilterContext) => {
      take('value of a field', context);
      return true;
    },
  })
  field(context: ChangeContext) {
    take('field', context);
  }
  @OnResume(...KEX)
  resume(context: ChangeContext) {
    take('resume', context);
  }
  @OnDelete(...KEX)
  delete(context: ChangeContext) {
    take('delete', context);
  }
  @OnEvent(...KEX, {
    when: (context: ObjectContext) => {
      take('when of an event', context);
      return true;
    },
  })
  event(context: EventContext) {
    take('event', context);
  }
  @Index(...KEX, {
    when: (context: ObjectContext) => {
      take('when of an index', context);
      return true;
    },
  })
  index(context: IndexContext) {
    take('index', context);
  }
  @Daemon(...KEX, {
    when: (context: ObjectContext) => {
      take('when of a daemon', context);
      return true;
    },
    initialDelay: (context: ObjectContext) => {
      take('initial delay', context);
      return 0;
    },
  })
  async daemon(context: DaemonContext) {
    take('daemon', context);
    await context.stopped.wait();
  }
  @Timer(...KEX, { interval: 10 })
  timer(context: TimerContext) {
    take('timer', context);
  }
  @OnChild('kopfexamples.kopf.dev', 'configmaps')
  onChild(context: ChildContext) {
    take('onChild', context);
  }
  @OnReference('kopfexamples.kopf.dev')
  onReference(context: ReferenceContext) {
    take('onReference', context);
  }
  @OnLog('pods')
  log(context: LogContext) {
    take('log', context);
  }
  @Validate(...KEX, {
    when: (context: AdmissionFilterContext) => {
      take('when of a review', context);
      return true;
    },
  })
  validate(context: AdmissionContext) {
    take('validate', context);
  }
  @Mutate(...KEX)
  mutate(context: AdmissionContext) {
    take('mutate', context);
  }
  @Convert(Widget, { from: WidgetV1Beta1, to: Widget })
  convert(context: ConversionContext) {
    take('convert', context);
    return { spec: { gigabytes: 1, color: 'red' } };
  }
  @Convert(Widget, { from: Widget, to: WidgetV1Beta1 })
  back() {
    return { spec: { megabytes: 1 } };
  }
}

/** Has every handler and every filter of the operator called. */
async function callAll(): Promise<void> {
  taken.clear();
  const server = new StubAdmissionServer({ url: 'https://host' });
  harness = await OperatorHarness.start({ kube: { pods: true } });
  await harness.create('old', {
    metadata: { annotations: { 'kopf.zalando.org/last-handled-configuration': '{"spec":{}}\n' } },
    spec: {},
  });
  await harness.run(Operator, {
    credentials: undefined,
    admission: { server },
    providers: provideProbes({ probeCacheTtl: 1, probeTimeout: 1 }),
  });
  const object = await harness.create('a', { spec: { field: 'secret', map: 'm' } });
  await harness.advance(1);
  await createChild(harness, 'm', object);
  await harness.advance(1);
  await harness.patch('a', { spec: { field: 'v2' } });
  await runPod(harness, 'web');
  harness.kube.pods.print('web', 'one\n');
  await harness.advance(10);
  await server.review(makeReview(makeExample({ field: 'secret' })));
  const converted = { ...widget('a', { megabytes: 1 }, 'v1beta1'), metadata: { name: 'a', namespace: 'ns', uid: 'u' } };
  await server.review({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: '1', desiredAPIVersion: 'example.com/v1', objects: [converted] },
  });
  await harness.get(KopfProbes).check();
  await harness.delete('a');
  await harness.advance(1);
  await harness.stop();
}

describe('The members of contexts', () => {
  it('should be own and enumerable in the contexts of all handlers and filters', async () => {
    await callAll();
    expect([...taken.keys()].sort()).toEqual(Object.keys(EXPECTED).sort());
    for (const [handler, context] of taken) {
      const { logger: _, ...others } = context.read;
      expect.soft([...context.keys].sort(), handler).toEqual([...new Set(EXPECTED[handler])].sort());
      expect.soft(comparable(context.spread), handler).toEqual(comparable(context.read));
      expect.soft(comparable(context.assigned), handler).toEqual(comparable(context.read));
      expect.soft(comparable(context.rest), handler).toEqual(comparable(others));
    }
  });

  it('should be printed and written as JSON without values of the object', async () => {
    await callAll();
    for (const [handler, { printed, json, copiedJson }] of taken) {
      expect.soft(printed, handler).not.toMatch(/spec|metadata|settings|secret/);
      expect.soft(json, handler).not.toMatch(/spec|metadata|settings|secret/);
      expect.soft(JSON.parse(copiedJson), handler).toBeTypeOf('object');
    }
    expect(JSON.parse(taken.get('create')!.json)).toEqual({
      resource: 'kopfexamples.v1.kopf.dev',
      namespace: 'ns',
      name: 'a',
      uid: expect.any(String),
      reason: 'create',
      retry: 0,
      started: expect.any(String),
      runtime: expect.any(Number),
    });
    expect(taken.get('create')!.printed).toMatch(/^ChangeContext \{\s+resource: 'kopfexamples.v1.kopf.dev',/);
  });

  it('should take what is added to a context', async () => {
    const seen: object[] = [];
    class Adding {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        Object.assign(context, { tenant: 't' });
        const { name, tenant } = { ...context } as unknown as { name: string; tenant: string };
        seen.push({ name, tenant });
        expect(() => Object.assign(context, { name: 'other' })).toThrow(TypeError);
        expect(context.name).toBe('a');
      }
    }
    harness = await OperatorHarness.start();
    await harness.run(Adding);
    await harness.create('a');
    await harness.advance(1);
    expect(seen).toEqual([{ name: 'a', tenant: 't' }]);
  });

  it('should stay live views in copies of the contexts of daemons', async () => {
    const seen: unknown[] = [];
    const note = ({ spec, labels, body }: Pick<DaemonContext, 'spec' | 'labels' | 'body'>) =>
      seen.push([spec.field, labels.l, body.spec.field]);
    class Watching {
      @Daemon(...KEX)
      async daemon({ logger: _, ...others }: DaemonContext) {
        note(others);
        await others.stopped.wait(10);
        note(others);
      }
      @Timer(...KEX, { interval: 1000 })
      async timer(context: TimerContext) {
        const copy = { ...context };
        note(copy);
        await copy.stopped.wait(10);
        note(copy);
      }
    }
    harness = await OperatorHarness.start();
    await harness.run(Watching);
    await harness.create('a', { spec: { field: 'v1' }, metadata: { labels: { l: '1' } } });
    await harness.advance(1);
    await harness.patch('a', { spec: { field: 'v2' }, metadata: { labels: { l: '2' } } });
    await harness.advance(20);
    const [first, second] = [
      ['v1', '1', 'v1'],
      ['v2', '2', 'v2'],
    ];
    expect(seen).toEqual([first, first, second, second]);
  });
});
