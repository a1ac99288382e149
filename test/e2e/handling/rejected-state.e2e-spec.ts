import { Injectable } from '@nestjs/common';
import {
  Daemon,
  Index,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
} from 'nestjs-kopf';
import { respondWith } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness, errorResponse } from '../../support/operators/operator.harness.js';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

/** Calls of handlers by the names of the objects. */
class Calls {
  readonly all: string[] = [];

  add(id: string, name: string | undefined, retry?: number): void {
    this.all.push(`${name}: ${id}${retry === undefined ? '' : ` ${retry}`}`);
  }

  of(name: string): readonly string[] {
    return this.all.filter((call) => call.startsWith(`${name}: `)).map((call) => call.slice(name.length + 2));
  }
}

/** An operator with handlers of each kind, for all objects. */
function createOperator(calls: Calls) {
  @Injectable()
  class Operator {
    @OnCreate(...KEX)
    create({ name, retry }: ChangeContext) {
      calls.add('create', name, retry);
      if (retry < 2) throw new TemporaryError('Not yet.', { delay: 5 });
      return 'made';
    }
    @OnCreate(...KEX)
    parent({ name, subhandler }: ChangeContext) {
      calls.add('parent', name);
      subhandler('one', () => calls.add('one', name));
      subhandler('two', ({ retry }) => {
        calls.add('two', name, retry);
        if (retry < 1) throw new TemporaryError('Not yet.', { delay: 5 });
      });
    }
    @OnField(...KEX, { field: 'spec.field' })
    field({ name, new: value }: ChangeContext) {
      calls.add(`field ${value}`, name);
    }
    @OnUpdate(...KEX)
    update({ name, spec, old }: ChangeContext) {
      calls.add(`update ${old.spec.field}-${spec.field}`, name);
    }
    @OnDelete(...KEX)
    drop({ name, retry }: ChangeContext) {
      calls.add('drop', name, retry);
    }
    @Daemon(...KEX)
    async daemon({ name, stopped }: DaemonContext) {
      calls.add('daemon', name);
      await stopped.wait();
    }
    @OnEvent(...KEX)
    event({ name, spec }: EventContext) {
      calls.add(`event ${spec.field}`, name);
    }
    @Index(...KEX)
    index({ name, spec }: IndexContext) {
      calls.add(`index ${spec.field}`, name);
      return { [name!]: spec.field };
    }
  }
  return Operator;
}

const CREATED = [
  'create 0',
  'create 1',
  'create 2',
  'daemon',
  'field v1',
  'one',
  'parent',
  'parent',
  'parent',
  'two 0',
  'two 1',
];

/** The ways in which an API server refuses what the framework itself stores. */
const REFUSALS: Readonly<Record<string, (request: KubeRequest) => KubeResponse | undefined>> = {
  forbidden: () => errorResponse(403, 'Forbidden', 'cannot patch resource'),
  denied: () => errorResponse(422, 'Invalid', "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: never"),
  unserved: () => errorResponse(404, 'NotFound', 'the server could not find the requested resource'),
  conflict: () => errorResponse(409, 'Conflict', 'a webhook does not like it'),
  failing: () => errorResponse(500, 'InternalError', 'failed calling webhook'),
  busy: () => errorResponse(429, 'TooManyRequests', 'try again later'),
  // Only the state: the finalizer comes and goes.
  annotations: ({ body }) =>
    body?.includes('kopf.zalando.org/') && !body.includes('finalizers')
      ? errorResponse(403, 'Forbidden', 'admission webhook "a.b.c" denied the request: no annotations')
      : undefined,
  // Only the finalizer.
  finalizers: ({ body }) =>
    body?.includes('finalizers')
      ? errorResponse(403, 'Forbidden', 'admission webhook "a.b.c" denied the request: no finalizers')
      : undefined,
};

/** Starts the operator on an API server that refuses what the framework stores of objects, named after the rejections, while `isOn`. */
async function refuse(handlers: object) {
  const world = { isOn: false, patches: 0 };
  const harness = await OperatorHarness.start({ statusSubresource: true });
  await harness.run(handlers as never, {
    networking: { errorBackoffs: [1, 2] },
    intercept: (request) => {
      const [, name] = /kopfexamples\/([a-z]+)$/.exec(request.path) ?? [];
      if (!world.isOn || request.method !== 'PATCH' || name === undefined) return undefined;
      const answer = REFUSALS[name]?.(request);
      if (answer) world.patches += 1;
      return answer;
    },
  });
  return { harness, world };
}

const NAMES = Object.keys(REFUSALS);

describe('What the framework stores and the API server refuses', () => {
  it('should keep no handler from being called, and none be called again, from the creation on', async () => {
    const calls = new Calls();
    const { harness, world } = await refuse(createOperator(calls));
    const changesOf = (name: string): string[] =>
      calls
        .of(name)
        .filter((call) => !/^(event|index)/.test(call))
        .sort();
    world.isOn = true;
    for (const name of NAMES) await harness.create(name);
    await harness.advance(600);
    for (const name of NAMES) expect([name, changesOf(name)]).toEqual([name, CREATED]);

    for (const name of NAMES) await harness.patch(name, { spec: { field: 'v2' } });
    await harness.advance(600);
    const updated = [...CREATED, 'field v2', 'update v1-v2'].sort();
    for (const name of NAMES) {
      expect([name, changesOf(name)]).toEqual([name, updated]);
      for (const kind of ['event v1', 'event v2', 'index v1', 'index v2']) expect(calls.of(name)).toContain(kind);
      expect((await harness.object(name)).status).toEqual({ create: 'made' });
    }

    const patches = world.patches;
    await harness.advance(3600);
    expect(world.patches - patches).toBeLessThan(NAMES.length * 75);
    world.isOn = false;
    await harness.advance(600);
    for (const name of NAMES) {
      expect([name, changesOf(name)]).toEqual([name, updated]);
      expect([name, await harness.marks(name)]).toEqual([name, [LAST_HANDLED]]);
      expect((await harness.object(name)).metadata.finalizers).toEqual(['kopf.zalando.org/KopfFinalizerMarker']);
      await harness.delete(name);
    }
    await harness.advance(60);
    for (const name of NAMES) {
      expect([name, changesOf(name)]).toEqual([name, [...updated, 'drop 0'].sort()]);
      expect(await harness.read(name)).toBeUndefined();
    }
  });

  it('should keep no deletion handler from being called, and none be called again, and end when the rejection does', async () => {
    const calls = new Calls();
    const { harness, world } = await refuse(createOperator(calls));
    for (const name of NAMES) await harness.create(name);
    await harness.advance(60);
    world.isOn = true;
    for (const name of NAMES) await harness.delete(name);
    await harness.advance(24 * 3600);
    for (const name of NAMES) {
      expect([name, calls.of(name).filter((call) => call.startsWith('drop'))]).toEqual([name, ['drop 0']]);
      // The finalizer goes where it alone is not refused.
      expect([name, (await harness.read(name)) === undefined]).toEqual([name, name === 'annotations']);
    }
    world.isOn = false;
    await harness.advance(600);
    for (const name of NAMES) {
      expect([name, calls.of(name).filter((call) => call.startsWith('drop'))]).toEqual([name, ['drop 0']]);
      expect([name, await harness.read(name)]).toEqual([name, undefined]);
    }
  });

  it('should be told of once in the log and once by an event, while it lasts', async () => {
    const calls = new Calls();
    const { harness, world } = await refuse(createOperator(calls));
    await harness.create('denied');
    await harness.advance(60);
    world.isOn = true;
    await harness.patch('denied', { spec: { field: 'v2' } });
    await harness.advance(60);
    const events = (await harness.events()).map(({ reason, type, count }) => [reason, type, count ?? 1]);
    await harness.advance(3600);
    expect(harness.logger.messages('warn')).toEqual([
      expect.stringMatching(
        /^\[ns\/denied\] The API server does not store the operator's state .* denied request: never/,
      ),
    ]);
    expect(events).toEqual([['StateNotStored', 'Warning', 1]]);
    world.isOn = false;
    await harness.advance(600);
    expect(harness.logger.messages('log')).toContainEqual(expect.stringContaining('stores the operator'));
  });

  it('should be sent again soon when the object has changed, as this can end the rejection', async () => {
    const calls = new Calls();
    const { harness, world } = await refuse(createOperator(calls));
    await harness.create('denied');
    await harness.advance(60);
    world.isOn = true;
    await harness.delete('denied');
    await harness.advance(24 * 3600);
    world.isOn = false;
    await harness.patch('denied', { metadata: { labels: { fixed: 'yes' } } });
    await harness.advance(1);
    expect(await harness.read('denied')).toBeUndefined();
  });

  it('should not be remembered after a pause, in which another operator may have handled the object', async () => {
    const calls = new Calls();
    const { harness, world } = await refuse(createOperator(calls));
    await harness.create('denied');
    await harness.advance(60);
    const { annotations = {} } = (await harness.object('denied')).metadata;
    world.isOn = true;
    await harness.patch('denied', { spec: { field: 'v2' } });
    await harness.advance(60);
    const operator = harness.get(KopfOperator);
    operator.pause('for a test');
    await harness.advance(5);
    world.isOn = false;
    const essence = annotations[LAST_HANDLED].replace('v1', 'v3');
    await harness.patch('denied', { spec: { field: 'v3' }, metadata: { annotations: { [LAST_HANDLED]: essence } } });
    operator.resume();
    await harness.advance(600);
    expect(calls.of('denied').filter((call) => call.startsWith('update'))).toEqual(['update v1-v2']);
  });
});

describe('State that the cluster does not keep', () => {
  /** Takes the operator's annotations, and its state in the status, off each patch, as a webhook or a schema does. */
  const prune =
    (harness: () => OperatorHarness) =>
    async ({ method, path, body, headers }: KubeRequest): Promise<KubeResponse | undefined> => {
      if (method !== 'PATCH' || !body || !path.includes('/kopfexamples/')) return undefined;
      const patch = JSON.parse(body) as KubeObject;
      if (Array.isArray(patch)) return undefined;
      const { annotations = {} } = patch.metadata ?? {};
      for (const key of Object.keys(annotations)) if (key.startsWith('kopf.zalando.org/')) delete annotations[key];
      if (patch.status) delete (patch.status as Record<string, unknown>).kopf;
      return respondWith(200, await harness().send(method, path, patch, headers['content-type']));
    };

  const storages = async () => {
    const kopf = await import('nestjs-kopf/storages');
    const keys = ['0123456789abcdef'];
    const annotations = new kopf.AnnotationsDiffBaseStorage();
    return {
      annotations: {},
      status: { progressStorage: new kopf.StatusProgressStorage(), diffbaseStorage: new kopf.StatusDiffBaseStorage() },
      multi: {
        progressStorage: new kopf.MultiProgressStorage([
          new kopf.AnnotationsProgressStorage(),
          new kopf.StatusProgressStorage(),
        ]),
        diffbaseStorage: new kopf.MultiDiffBaseStorage([annotations, new kopf.StatusDiffBaseStorage()]),
      },
      digest: { diffbaseStorage: new kopf.DigestDiffBaseStorage(annotations, { keys, fields: [] }) },
    };
  };

  it.each(['annotations', 'status', 'multi', 'digest'] as const)(
    'should be recalled from memory, with one error for the resource, in any storage: %s',
    async (storage) => {
      const calls = new Calls();
      const harness = await OperatorHarness.start({ statusSubresource: true });
      const persistence = (await storages())[storage];
      await harness.run(createOperator(calls), { persistence, intercept: prune(() => harness) });
      const changesOf = (name: string): string[] =>
        calls
          .of(name)
          .filter((call) => !/^(event|index)/.test(call))
          .sort();
      for (const name of ['a', 'b']) await harness.create(name);
      await harness.advance(600);
      for (const name of ['a', 'b']) expect(changesOf(name)).toEqual(CREATED);
      for (const name of ['a', 'b']) await harness.patch(name, { spec: { field: 'v2' } });
      await harness.advance(600);
      const updated = [...CREATED, 'field v2', 'update v1-v2'].sort();
      for (const name of ['a', 'b']) expect(changesOf(name)).toEqual(updated);
      const requests = harness.writes.length;
      await harness.advance(3600);
      expect(harness.writes.length - requests).toBeLessThan(5);
      for (const name of ['a', 'b']) await harness.delete(name);
      await harness.advance(600);
      for (const name of ['a', 'b']) {
        expect(changesOf(name)).toEqual([...updated, 'drop 0'].sort());
        expect(await harness.read(name)).toBeUndefined();
      }
      const errors = harness.logger.messages('error').filter((message) => !message.includes('Not yet.'));
      expect(errors).toEqual([expect.stringContaining("does not keep the operator's state of kopfexamples")]);
      expect(harness.logger.messages('warn')).toEqual([]);
    },
  );
});
