import type { Provider } from '@nestjs/common';
import {
  Daemon,
  OnChild,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnUpdate,
  Timer,
  type ChangeContext,
  type ObjectContext,
  type Patch,
} from 'nestjs-kopf';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';

/** Refers to itself. */
const circle: Record<string, unknown> = {};
circle.self = circle;

/** Fails when it is made JSON. */
const failing = {
  toJSON: () => {
    throw new Error('no text');
  },
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** What JSON has something of, by names. */
const SENT: Readonly<Record<string, () => unknown>> = {
  number: () => 5,
  map: () => ({ a: 1, b: undefined }),
  list: () => [1, undefined],
  null: () => null,
  missing: () => undefined,
  bigint: () => 5n,
  date: () => new Date(0),
};

/** What JSON has nothing of, by names. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  huge: () => 2n ** 64n,
  function: () => () => 1,
  nan: () => NaN,
  'es-map': () => new Map([['a', 1]]),
  promise: () => Promise.resolve(1),
  circle: () => circle,
  failing: () => failing,
  revoked,
};

const VALUES = { ...SENT, ...REFUSED };

/** Where handlers may write them, by names. */
const PLACES: Readonly<Record<string, (patch: Patch<any, any>, value: any) => unknown>> = {
  annotation: (patch, value) => void (patch.metadata.annotations['example.com/v'] = value),
  label: (patch, value) => void (patch.metadata.labels['example.com/v'] = value),
  spec: (patch, value) => void (patch.spec.v = { list: [{ v: value }] }),
  status: (patch, value) => void (patch.status.v = value),
  result: (_, value) => ({ v: value as unknown }),
  annotations: (patch, value) => void (patch.metadata.annotations = value),
  labels: (patch, value) => void (patch.metadata.labels = value),
  finalizers: (patch, value) => void (patch.metadata.finalizers = value),
  metadata: (patch, value) => patch.merge({ metadata: value }),
  owner: (patch, value) => void (patch.metadata.ownerReferences = [value]),
  'whole-spec': (patch, value) => patch.merge({ spec: value }),
  'whole-status': (patch, value) => patch.merge({ status: value }),
  other: (patch, value) => patch.merge({ data: value }),
  merged: (patch, value) => patch.merge(value),
  transformed: (patch, value) => patch.transform((body) => void (body.spec.v = value)),
  'transformed-annotation': (patch, value) =>
    patch.transform((body) => void (body.metadata.annotations = { 'example.com/v': value })),
  'transformed-metadata': (patch, value) => patch.transform((body) => void (body.metadata = value)),
  'transformed-uid': (patch, value) => patch.transform((body) => void (body.metadata.uid = value)),
  'transformed-version': (patch, value) => patch.transform((body) => void (body.metadata.resourceVersion = value)),
  'transformed-status': (patch, value) => patch.transform((body) => void (body.status = { v: value })),
};

const ALL_PLACES = Object.keys(PLACES);
const PARTS = ALL_PLACES.slice(0, 8);
const LIMITS = { retries: 2, backoff: 1 } as const;

/** Writes the value into the place that the name of the object tells of, and counts the calls. */
class Writer {
  readonly calls = new Map<string, number>();

  write = ({ name, patch }: Pick<ObjectContext, 'name' | 'patch'>): unknown => {
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    const [place, value] = name.split('.');
    return PLACES[place](patch, VALUES[value]());
  };
}

/** An operator, and the objects that its handlers write into. */
class Scene {
  private constructor(
    readonly harness: OperatorHarness,
    readonly names: readonly string[],
  ) {}

  static async start(
    handlers: Provider,
    places: readonly string[],
    values: object,
    { statusSubresource, ...options }: OperatorOptions & { statusSubresource?: boolean } = {},
  ): Promise<Scene> {
    const harness = await OperatorHarness.start({ statusSubresource });
    const names = places.flatMap((place) => Object.keys(values).map((value) => `${place}.${value}`));
    const scene = new Scene(harness, names);
    for (const name of names) await harness.create(name, { spec: { field: 'v1' } });
    await harness.run(handlers, options);
    await harness.advance(30);
    return scene;
  }

  /** The errors of the framework itself. */
  get throttled(): readonly string[] {
    return this.harness.logger.messages('error', 'warn').filter((line) => line.includes('Throttling'));
  }

  /** Deletes all objects, and returns the names of those that are still there. */
  async delete(): Promise<readonly string[]> {
    for (const name of this.names) await this.harness.delete(name);
    await this.harness.advance(30);
    const left: string[] = [];
    for (const name of this.names) if (await this.harness.object(name).catch(() => undefined)) left.push(name);
    return left;
  }
}

describe('Values that handlers write into patches', () => {
  const writer = new Writer();
  beforeEach(() => writer.calls.clear());
  const above = (limit: number): readonly unknown[] => [...writer.calls].filter(([, count]) => count > limit);

  class Creating {
    @OnCreate(...KEX, LIMITS)
    create(context: ChangeContext) {
      return writer.write(context);
    }
    @OnDelete(...KEX)
    release() {}
  }

  class Parent {
    @OnCreate(...KEX, LIMITS)
    create({ subhandler }: ChangeContext) {
      subhandler('child', (context) => writer.write(context), LIMITS);
    }
  }

  it.each<[string, Provider, { statusSubresource?: boolean }?]>([
    ['with the status in the object', Creating],
    ['with the status as a subresource', Creating, { statusSubresource: true }],
    ['of a sub-handler', Parent],
  ])('should be sent, or be failures that retries count, and hold nothing up: %s', async (_, handlers, options) => {
    const scene = await Scene.start(handlers, ALL_PLACES, VALUES, options);
    expect([...writer.calls.keys()].sort()).toEqual([...scene.names].sort());
    expect(scene.throttled).toEqual([]);
    expect(above(2)).toEqual([]);
    expect(await scene.delete()).toEqual([]);
    expect(scene.throttled).toEqual([]);
  });

  it('should be sent, or be failures that retries count, and hold nothing up: by server-side apply', async () => {
    const scene = await Scene.start(Creating, PARTS, VALUES, { patching: { mode: 'apply' } });
    expect(scene.throttled).toEqual([]);
    expect(above(2)).toEqual([]);
    expect(await scene.delete()).toEqual([]);
  });

  class Updating {
    @OnUpdate(...KEX, LIMITS)
    update(context: ChangeContext) {
      return writer.write(context);
    }
    @OnCreate(...KEX)
    create({ patch }: ChangeContext) {
      patch.spec.own = 1;
    }
  }

  class Deleting {
    @OnDelete(...KEX, LIMITS)
    delete(context: ChangeContext) {
      return writer.write(context);
    }
  }

  class OfField {
    @OnField(...KEX, { ...LIMITS, field: 'spec.field' })
    change(context: ChangeContext) {
      return writer.write(context);
    }
  }

  it.each<[string, Provider]>([
    ['of updates', Updating],
    ['of deletions', Deleting],
    ['of fields', OfField],
  ])('should be failures that retries count, and hold nothing up: handlers %s', async (_, handlers) => {
    const scene = await Scene.start(handlers, PARTS, VALUES);
    expect(await scene.delete()).toEqual([]);
    expect(scene.throttled).toEqual([]);
    expect(writer.calls.size).toBe(scene.names.length);
    expect(above(2)).toEqual([]);
  });

  class OfEvents {
    @OnEvent(...KEX)
    event(context: ObjectContext) {
      return writer.write(context);
    }
  }

  class Timed {
    @Timer(...KEX, { ...LIMITS, interval: 1000 })
    timer(context: ObjectContext) {
      return writer.write(context);
    }
  }

  class Running {
    @Daemon(...KEX, LIMITS)
    daemon(context: ObjectContext) {
      return writer.write(context);
    }
  }

  class OfChildren {
    @OnChild('kopfexamples.kopf.dev', 'configmaps', LIMITS)
    children(context: ObjectContext) {
      return writer.write(context);
    }
  }

  it.each<[string, Provider, string, number]>([
    ['a handler of events', OfEvents, 'event', 1],
    ['a timer', Timed, 'timer', 2],
    ['a daemon', Running, 'daemon', 2],
    ['a handler of children', OfChildren, 'children', 2],
  ])('should be failures, named with their place, and hold nothing up: of %s', async (_, handlers, id, calls) => {
    const scene = await Scene.start(handlers, PARTS, REFUSED);
    expect(scene.throttled).toEqual([]);
    const errors = scene.harness.logger.messages('error');
    for (const name of scene.names) {
      const [error] = errors.filter((line) => line.startsWith(`[ns/${name}] `) && line.includes(`'${id}' failed`));
      expect(error, name).toMatch(/(patch|result)\S* (is|cannot|refers)/);
    }
    expect(above(calls)).toEqual([]);
    expect(await scene.delete()).toEqual([]);
  });
});
