import type { Type } from '@nestjs/common';
import {
  conditions,
  Daemon,
  OnCreate,
  OnEvent,
  OnField,
  OnUpdate,
  TemporaryError,
  Timer,
  type ChangeContext,
  type ObjectContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

type Context = ObjectContext & Pick<ChangeContext, 'started' | 'runtime'>;

/** What handlers do in each call, by names. */
const WRITES: Readonly<Record<string, (context: Context) => unknown>> = {
  'a condition': (context) => void conditions(context).set({ type: 'Seen', status: true }),
  'conditions of kstatus': (context) => void conditions(context).ready(),
  'the observed generation': ({ patch, meta }) => void (patch.status.observedGeneration = meta.generation),
  'a list of conditions': ({ patch, meta }) =>
    void (patch.status.conditions = [{ type: 'Own', status: 'True', observedGeneration: meta.generation }]),
  'a result with the observed generation': ({ meta }) => ({ observedGeneration: meta.generation }),
  'a condition and a result': (context) => {
    conditions(context).ready();
    return { seen: true };
  },
};

let write: (context: Context) => unknown;

class OfEvents {
  @OnEvent(...KEX)
  event(context: Context) {
    return write(context);
  }
}

class Timed {
  @Timer(...KEX, { interval: 5 })
  timer(context: Context) {
    return write(context);
  }
}

class Running {
  @Daemon(...KEX)
  daemon(context: Context) {
    const result = write(context);
    if (result === undefined) throw new TemporaryError('Once more.', { delay: 5 });
    return result;
  }
}

class OfStatus {
  @OnField(...KEX, { field: 'status' })
  field(context: Context) {
    return write(context);
  }
  @OnCreate(...KEX)
  create(context: Context) {
    return write(context);
  }
}

class OfChanges {
  @OnCreate(...KEX)
  @OnUpdate(...KEX)
  reconcile(context: Context) {
    return write(context);
  }
}

const versionOf = async (harness: OperatorHarness) => (await harness.object('a')).metadata.resourceVersion;

describe.each([
  ['a subresource', true],
  ['no subresource', false],
])('Where the status is %s', (_, statusSubresource) => {
  const started = async (operators: readonly (readonly Type[])[], mode: 'merge' | 'apply' = 'merge') => {
    const harness = await OperatorHarness.start({ statusSubresource });
    for (const [index, classes] of operators.entries()) {
      const persistence = { finalizer: `op${index}.example.com/finalizer` };
      await harness.run(classes, { persistence, patching: { mode, fieldManager: `op${index}` } });
    }
    await harness.create('a', { spec: { field: 'v1' } });
    await harness.advance(30);
    return harness;
  };

  it.each(
    Object.keys(WRITES).flatMap((name) => [OfEvents, Timed, Running, OfStatus].map((type) => [name, type] as const)),
  )('should come to rest: %s of %o', async (name, type) => {
    write = WRITES[name];
    const harness = await started([[type]]);
    const version = await versionOf(harness);
    await harness.advance(60);
    expect(await versionOf(harness)).toBe(version);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(30);
    const later = await versionOf(harness);
    await harness.advance(60);
    expect(await versionOf(harness)).toBe(later);
  });

  it.each([
    ['merge', OfEvents],
    ['apply', OfEvents],
    ['merge', Timed],
    ['apply', OfStatus],
  ] as const)('should come to rest with two operators, by %s: %o', async (mode, type) => {
    write = (context) => {
      conditions(context).ready();
      context.patch.status.observedGeneration = context.meta.generation;
      return { observedGeneration: context.meta.generation };
    };
    const harness = await started([[type], [type]], mode);
    const version = await versionOf(harness);
    await harness.advance(60);
    expect(await versionOf(harness)).toBe(version);
  });

  it('should have the generation that users have made, in handlers of changes', async () => {
    write = WRITES['conditions of kstatus'];
    const harness = await started([[OfChanges]]);
    await harness.patch('a', { spec: { field: 'v2' } });
    const { generation } = (await harness.object('a')).metadata;
    await harness.advance(30);
    const { status } = await harness.object('a');
    expect(status.observedGeneration).toBe(generation);
    expect(status.conditions).toEqual([expect.objectContaining({ type: 'Ready', observedGeneration: generation })]);
  });
});
