import {
  event,
  exception,
  info,
  OnCreate,
  OnEvent,
  PermanentError,
  TemporaryError,
  warn,
  type ChangeContext,
  type EventContext,
  type KopfModuleOptions,
  type KubeObject,
  type KubeRequest,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

/** Lists the texts of the namespace's events, in the order in which they were posted. */
async function posted(harness: OperatorHarness): Promise<unknown[]> {
  const events = await harness.events();
  return events
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ type, reason, message, involvedObject }) => [type, reason, message ?? '', (involvedObject as any).name]);
}

function poster(post: (context: ChangeContext) => void) {
  class Poster {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      post(context);
    }
  }
  return Poster;
}

async function post(
  act: (context: ChangeContext) => void,
  options: KopfModuleOptions = {},
): Promise<{ harness: OperatorHarness; events: unknown[] }> {
  const harness = await OperatorHarness.start();
  await harness.run(poster(act), options);
  await harness.create('a');
  await harness.advance(5);
  return { harness, events: await posted(harness) };
}

describe('Events', () => {
  it('should be posted about the object that is being handled', async () => {
    const { harness, events } = await post((context) => {
      context.event({ type: 'SomeType', reason: 'SomeReason', message: 'Some message' });
      context.info({ reason: 'Fine' });
      context.warn({ reason: 'Hm', message: 'Careful' });
      context.exception({ reason: 'Oops', message: 'Some exception:', error: new Error('Exception text.') });
      context.exception({ reason: 'Oops', error: 'thrown text' });
    });
    expect(events).toEqual([
      ['SomeType', 'SomeReason', 'Some message', 'a'],
      ['Normal', 'Fine', '', 'a'],
      ['Warning', 'Hm', 'Careful', 'a'],
      ['Error', 'Oops', 'Some exception: Exception text.', 'a'],
      ['Error', 'Oops', 'thrown text', 'a'],
    ]);
    const { uid } = (await harness.object('a')).metadata;
    const [first] = await harness.events();
    expect(first.involvedObject).toEqual({
      apiVersion: 'kopf.dev/v1',
      kind: 'KopfExample',
      name: 'a',
      namespace: 'ns',
      uid,
    });
    expect(first.metadata.generateName).toBe('kopf-event-');
    expect(first.reportingComponent).toBe('kopf');
  });

  it('should be found by kubectl about objects without a namespace, whatever the namespace of the credentials', async () => {
    class Operator {
      @OnCreate('persistentvolumes.v1')
      create(context: ChangeContext) {
        context.info({ reason: 'Made' });
        context.logger.warn('It is nearly full.');
        warn(context.body, { reason: 'Noticed' });
        throw new PermanentError('It cannot be mounted.');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { posting: { loggers: true } });
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec };
    await harness.send('POST', '/api/v1/persistentvolumes', volume);
    await harness.advance(5);
    // kubectl describe sends this request.
    const fieldSelector = 'involvedObject.name=pv,involvedObject.namespace=,involvedObject.kind=PersistentVolume';
    const found = await harness.send('GET', `/api/v1/events?fieldSelector=${encodeURIComponent(fieldSelector)}`);
    const items = found.items as KubeObject[];
    expect(new Set(items.map(({ reason }) => reason))).toEqual(new Set(['Logging', 'Made', 'Noticed']));
    expect(new Set(items.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['default']));
    for (const { involvedObject } of items) expect(involvedObject).not.toHaveProperty('namespace');
  });

  it('should be posted about other objects, and about several ones', async () => {
    const object = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'ns', uid: name },
    });
    const { events } = await post(() => {
      info(object('p'), { reason: 'Adopted', message: 'by a' });
      event([object('q'), object('r')], { type: 'T', reason: 'R' });
      warn(object('p'), { reason: 'W' });
      exception(object('p'), { reason: 'E', error: new Error('text') });
    });
    expect(events).toEqual([
      ['Normal', 'Adopted', 'by a', 'p'],
      ['T', 'R', '', 'q'],
      ['T', 'R', '', 'r'],
      ['Warning', 'W', '', 'p'],
      ['Error', 'E', 'text', 'p'],
    ]);
  });

  it('should not be posted by functions outside of handlers', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
    expect(() => info(object, { reason: 'R' })).toThrow('only within handlers');
  });

  it('should be cut in the middle beyond 1024 characters', async () => {
    const { events } = await post((context) => {
      context.info({ reason: 'Exact', message: 'x'.repeat(1024) });
      context.info({ reason: 'Long', message: `${'a'.repeat(1000)}${'b'.repeat(1000)}` });
    });
    const [[, , exact], [, , long]] = events as string[][];
    expect(exact).toBe('x'.repeat(1024));
    expect(long).toHaveLength(1024);
    expect(long).toMatch(/^a{510,512}\.\.\.b{509,511}$/);
  });

  it('should not be posted about events, but about other kinds of that name', async () => {
    const { events } = await post(() => {
      const metadata = { name: 'e', namespace: 'ns', uid: 'u' };
      info({ apiVersion: 'v1', kind: 'Event', metadata }, { reason: 'Core' });
      info({ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata }, { reason: 'New' });
      info({ apiVersion: 'calendar.example.com/v1', kind: 'Event', metadata }, { reason: 'Party' });
    });
    expect(events).toEqual([['Normal', 'Party', '', 'e']]);
  });

  it('should not lead to events of the events, if these are handled', async () => {
    let seen = 0;
    class Operator {
      @OnEvent('events.v1')
      spy({ info: report }: EventContext) {
        seen += 1;
        report({ reason: 'Seen' });
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run([Operator, poster(({ info: report }) => report({ reason: 'R' }))]);
    await harness.create('a');
    await harness.advance(60);
    expect(seen).toBe(1);
    expect(await harness.events()).toHaveLength(1);
  });

  it('should not be posted at all if the settings say so', async () => {
    const { harness } = await post(
      ({ info: report, warn: caution }) => {
        report({ reason: 'R' });
        caution({ reason: 'W' });
      },
      { posting: { enabled: false } },
    );
    expect(await harness.events()).toEqual([]);
  });

  it.each([
    ['debug', ['T', 'Normal', 'Warning', 'Error']],
    ['warn', ['T', 'Warning', 'Error']],
    ['error', ['T', 'Error']],
  ] as const)('should be posted from the level on that the settings say, as in Kopf: %s', async (level, expected) => {
    const shout = (poster: Pick<ChangeContext, 'event' | 'info' | 'warn' | 'exception'>): void => {
      poster.event({ type: 'T', reason: 'R' });
      poster.info({ reason: 'R' });
      poster.warn({ reason: 'R' });
      poster.exception({ reason: 'R' });
    };
    const act = (context: ChangeContext): void => {
      shout(context);
      const { body } = context;
      shout({
        event: (details) => event(body, details),
        info: (details) => info(body, details),
        warn: (details) => warn(body, details),
        exception: (details) => exception(body, details),
      });
    };
    const { events } = await post(act, { posting: { level } });
    expect(events.map((each) => (each as string[])[0])).toEqual([...expected, ...expected]);
  });

  it("should have the error's name for a reason if there is no other one", async () => {
    const { events } = await post((context) => {
      context.exception({ error: new RangeError('too far') });
      exception(context.body, { message: 'Careful:', error: 'text' });
    });
    expect(events).toEqual([
      ['Error', 'RangeError', 'too far', 'a'],
      ['Error', 'Error', 'Careful: text', 'a'],
    ]);
  });

  it.each([42, null, { a: 1 }, Symbol('x'), new Error('text')])(
    'should be posted although the message is no text, and those behind it, too: %s',
    async (message) => {
      const { events } = await post(
        (context) => {
          context.info({ reason: 'Strange', message: message as never });
          if (typeof message !== 'symbol') context.logger.warn(message as never);
          context.info({ reason: 'Next' });
        },
        { posting: { loggers: true } },
      );
      const reasons = events.map((each) => (each as string[])[1]);
      expect(reasons.slice(0, 1)).toEqual(['Strange']);
      expect(reasons).toContain('Next');
    },
  );

  it('should not make the handler fail if the cluster rejects them', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(
      poster(({ info: report }) => report({ reason: 'R' })),
      {
        intercept: ({ path }) =>
          path.includes('/events') ? errorResponse(404, 'NotFound', 'no namespace') : undefined,
      },
    );
    await harness.create('a');
    await harness.advance(60);
    expect(await harness.marks('a')).toHaveLength(1);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringContaining('An event was not posted (type=Normal, reason=R)'),
    ]);
  });

  it('should be dropped with a warning when too many wait', async () => {
    const { harness, events } = await post(
      ({ info: report }) => {
        for (let index = 0; index < 10; index++) report({ reason: `R${index}` });
      },
      { posting: { queueLimit: 3 } },
    );
    // The first event is sent before the others come.
    expect(events.map((event) => (event as string[])[1])).toEqual(['R0', 'R1', 'R2', 'R3']);
    expect(harness.logger.messages('warn')).toEqual(['6 events were not posted, as too many were waiting.']);
  });

  /** Rejects the events about an object for some seconds, and records when each attempt was made. */
  function refuse(harness: OperatorHarness, name: string, seconds: number, code = 403) {
    const attempts: number[] = [];
    const since = harness.clock.monotonic();
    const elapsed = (): number => (harness.clock.monotonic() - since) / 1000;
    const intercept = ({ method, path, body }: KubeRequest) => {
      if (method !== 'POST' || !path.endsWith('/events')) return undefined;
      const { involvedObject } = JSON.parse(String(body)) as { involvedObject: { name: string } };
      if (involvedObject.name !== name) return undefined;
      attempts.push(elapsed());
      return elapsed() < seconds ? errorResponse(code, 'Refused', 'not now') : undefined;
    };
    const delays = (): number[] => attempts.slice(1).map((time, index) => Math.round(time - attempts[index]));
    return { intercept, delays };
  }

  it.each([403, 429, 500, 503])(
    'should hold up no events of other objects while they are tried again, and keep their own order: %d',
    async (code) => {
      const harness = await OperatorHarness.start();
      const { intercept, delays } = refuse(harness, 'a', 5, code);
      const act = ({ info: report }: ChangeContext): void =>
        ['First', 'Second'].forEach((reason) => report({ reason }));
      await harness.run(poster(act), { intercept });
      await harness.create('a');
      await harness.create('b');
      await harness.advance(2);
      const of = (name: string) => ['First', 'Second'].map((reason) => ['Normal', reason, '', name]);
      expect(await posted(harness)).toEqual(of('b'));
      await harness.advance(20);
      expect(await posted(harness)).toEqual([...of('b'), ...of('a')]);
      expect(delays()).toEqual([1, 1, 2, 3, 0]);
    },
  );

  it('should be tried again by the backoffs of the call, of the settings, and of log lines', async () => {
    const harness = await OperatorHarness.start();
    const { intercept, delays } = refuse(harness, 'a', 1000);
    const act = (context: ChangeContext): void => {
      context.info({ reason: 'Call', backoffs: [2, 3] });
      context.exception({ reason: 'Number', backoffs: 4 });
      warn(context.body, { reason: 'None', backoffs: [] });
      context.event({ type: 'Normal', reason: 'Settings' });
      context.logger.error('a log line');
    };
    const posting = { defaultBackoffs: [6, 7], loggingBackoffs: 9, loggers: true, level: 'log' as const };
    const networking = { errorBackoffs: [100] };
    await harness.run(poster(act), { intercept, posting, networking });
    await harness.create('a');
    await harness.advance(100);
    // Another line follows: that the creation is processed.
    expect(delays()).toEqual([2, 3, 0, 4, 0, 0, 6, 7, 0, 9, 0, 9]);
    expect(harness.logger.messages('warn').filter((line) => line.startsWith('An event was not posted'))).toHaveLength(
      6,
    );
  });

  it('should be sent before the operator has stopped', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(poster(({ info: report }) => report({ reason: 'Last' })));
    await harness.create('a');
    await harness.stop();
    expect(await posted(harness)).toEqual([['Normal', 'Last', '', 'a']]);
  });
});

describe('Log lines', () => {
  const talk = ({ logger, retry }: ChangeContext): void => {
    logger.debug('a detail');
    logger.log('a fact');
    logger.warn(() => 'a doubt');
    if (retry === 0) throw new TemporaryError('not yet', { delay: 1 });
  };

  it('should not be posted as events by default', async () => {
    expect((await post(talk)).events).toEqual([]);
  });

  it.each([
    ['debug', ['a detail', 'a fact', 'a doubt', "Handler 'create' succeeded."]],
    [
      'log',
      [
        'a fact',
        'a doubt',
        "Handler 'create' failed temporarily: not yet",
        'Creation is processed: 1 succeeded; 0 failed.',
      ],
    ],
    ['warn', ['a doubt', "Handler 'create' failed temporarily: not yet"]],
    ['error', ["Handler 'create' failed temporarily: not yet"]],
  ] as const)('should be posted as events from the level on that the settings say: %s', async (level, expected) => {
    const { events } = await post(talk, { posting: { loggers: true, level } });
    const messages = events.map((event) => (event as string[])[2]);
    expect(messages).toEqual(expect.arrayContaining([...expected]));
    if (level !== 'debug') expect(messages).not.toContain('a detail');
    if (level !== 'debug') expect(messages).not.toContain("Handler 'create' succeeded.");
    if (level === 'error') expect(messages).toEqual(expected);
    expect(events).toContainEqual(['Error', 'Logging', "Handler 'create' failed temporarily: not yet", 'a']);
    if (level !== 'error') expect(events).toContainEqual(['Warning', 'Logging', 'a doubt', 'a']);
    if (level === 'debug') expect(events).toContainEqual(['Debug', 'Logging', 'a detail', 'a']);
  });
});
