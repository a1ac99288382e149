import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import type { KopfCommand } from '../../support/programs/kopf.command.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

/** An operator with the handlers of `retried_operator.py`, in whichever language. */
export interface SituationsOperator {
  /** Stops it, and resolves when it has gone. */
  stop(): Promise<void>;
}

/**
 * Brings objects into ten situations, first with the operator and then without it, and checks how each of them is explained: by the codes
 * of what is found, in their order.
 */
export async function checkSituations(
  kopf: KopfCommand,
  user: ClusterUser,
  operator: SituationsOperator,
): Promise<void> {
  await create('done', 'calm');
  await create('changed', 'calm');
  await create('waiting', 'waiting');
  await create('abandoned', 'waiting');
  await create('hopeless', 'hopeless');
  await create('brief', 'brief');
  await create('leaving', 'waiting');
  await create('foreign', 'calm', ['example.com/other']);
  await isExplained('done', ['handled']);
  await isExplained('changed', ['handled']);
  await isExplained('waiting', ['handler-waits']);
  await isExplained('abandoned', ['handler-waits']);
  await isExplained('hopeless', ['handler-failed', 'handler-waits']);
  await isExplained('leaving', ['handler-waits']);
  await isExplained('foreign', ['handled']);
  await user.delete(`${OBJECTS}/leaving`);
  await user.delete(`${OBJECTS}/foreign`);
  await isExplained('foreign', ['deletion-blocked-by-others']);
  await isExplained('leaving', ['deletion-waits-for-handlers', 'handler-waits']);

  await operator.stop();
  await create('new', 'calm');
  await user.patch(`${OBJECTS}/changed`, { spec: { size: 2 } });
  await user.delete(`${OBJECTS}/abandoned`);
  const unreadable = { 'kopf.zalando.org/retried': '{"started"' };
  await user.patch(`${OBJECTS}/waiting`, { metadata: { annotations: unreadable } });
  await isExplained('new', ['never-handled']);
  await isExplained('changed', ['change-not-handled']);
  await isExplained('abandoned', ['deletion-without-operator', 'handler-waits']);
  await isExplained('brief', ['handler-overdue']);
  expect(await codesOf('waiting')).toContain('state-unreadable');

  const released = await kopf.run(
    'release',
    'kopfexamples',
    '-l',
    'situation=yes',
    '--finalizer',
    'example.com/other',
    '--yes',
  );
  expect(released).toMatchObject({ code: 0, err: '' });
  for (const name of ['leaving', 'foreign', 'abandoned']) expect(await user.get(`${OBJECTS}/${name}`)).toBeUndefined();

  async function create(name: string, mode: string, finalizers: readonly string[] = []): Promise<void> {
    const metadata = { name, finalizers, labels: { situation: 'yes' } };
    await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { mode } });
  }

  async function codesOf(name: string): Promise<readonly string[]> {
    const { findings } = await kopf.read('explain', `kopfexample/${name}`);
    return findings.map(({ code }: { code: string }) => code).sort();
  }

  async function isExplained(name: string, expected: readonly string[]): Promise<void> {
    let last: readonly string[] = [];
    await eventually(`${name}: ${expected.join(', ')}`, async () => {
      last = await codesOf(name);
      return last.join() === expected.join();
    }).catch((error: unknown) => expect(last, String(error)).toEqual(expected));
  }
}
