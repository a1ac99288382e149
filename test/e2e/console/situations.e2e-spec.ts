import { ConsoleWorld, ShownOperator } from './console.world.js';

const PATH = 'objects/kopfexamples.kopf.dev/ns/a';

/** A real situation of an object, with what the console says of it, and what the operator does next. */
interface Situation {
  readonly arrange: (world: ConsoleWorld) => Promise<unknown>;
  readonly phase: string;
  /** The codes of the findings; those of problems end with `!`. */
  readonly says: readonly string[];
  /** The handlers that are called in the next 400 seconds if nothing else happens. */
  readonly next: readonly string[];
}

const create =
  (spec: object, metadata: object = {}) =>
  (world: ConsoleWorld) =>
    world.harness.create('a', { spec: spec as never, metadata: metadata as never });

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'an object that was handled': { arrange: create({}), phase: 'idle', says: ['handled'], next: [] },
  'an object whose handler is retried': {
    arrange: create({ fails: true }),
    phase: 'failing',
    says: ['handler-waits'],
    next: ['create a 1'],
  },
  'an object whose handler has failed for good': {
    arrange: create({ breaks: true }),
    phase: 'failed',
    says: ['handler-failed!', 'not-retried'],
    next: [],
  },
  'an object whose handler does not return': {
    arrange: async (world) => {
      await create({ hangs: true })(world);
      await world.harness.advance(120);
    },
    phase: 'stuck',
    says: ['handler-stuck!'],
    next: [],
  },
  'a creation that an update has superseded': {
    arrange: async (world) => {
      await create({ fails: true })(world);
      await world.harness.advance(5);
      await world.harness.patch('a', { spec: { size: 2 } });
    },
    phase: 'failing',
    says: ['handler-waits'],
    next: ['create a 1'],
  },
  'a deletion that waits for its handler': {
    arrange: async (world) => {
      await create({ holds: true })(world);
      await world.harness.advance(5);
      await world.harness.delete('a');
    },
    phase: 'failing',
    says: ['deletion-waits-for-handlers', 'handler-waits'],
    next: [],
  },
  'a deletion that another controller blocks': {
    arrange: async (world) => {
      await create({}, { finalizers: ['example.com/other'] })(world);
      await world.harness.advance(5);
      await world.harness.delete('a');
    },
    phase: 'deleting',
    says: ['deletion-blocked-by-others'],
    next: [],
  },
  'an object of an operator that pauses': {
    arrange: async (world) => {
      await create({ fails: true })(world);
      await world.harness.advance(5);
      world.operator.pause('For a test.');
    },
    phase: 'failing',
    says: ['handler-waits'],
    next: [],
  },
  'an object whose patches the API server rejects': {
    arrange: async (world) => {
      const fault = { verb: 'patch', resource: 'kopfexamples.kopf.dev', message: 'denied', times: Infinity } as const;
      world.harness.kube.faults.reject(403, fault);
      await create({})(world);
      await world.harness.advance(120);
    },
    phase: 'stuck',
    says: ['never-handled', 'finalizer-not-stored!', 'state-not-stored!'],
    next: [],
  },
};

describe('The console, of real objects,', () => {
  it.each(Object.entries(SITUATIONS))(
    'should say what is true of %s',
    async (_what, { arrange, phase, says, next }) => {
      const world = await ConsoleWorld.start();
      await arrange(world);
      await world.harness.advance(5);
      const { object, findings } = await world.get(PATH);
      const codes = findings.map(({ code, problem }: any) => (problem ? `${code}!` : code));
      expect([object.phase, codes]).toEqual([phase, says]);
      const { calls } = world.served.find(ShownOperator);
      const before = calls.length;
      await world.harness.advance(400);
      expect(calls.slice(before)).toEqual(next);
      world.served.find(ShownOperator).go();
    },
  );
});
