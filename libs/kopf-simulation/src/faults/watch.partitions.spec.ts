import { Inject, Injectable, Module } from '@nestjs/common';
import { type EventContext, KopfModule, OnEvent } from 'nestjs-kopf';
import type { SimulationFault } from '../simulation.plan.js';
import { prepareWorld } from '../world/prepared.world.js';
import type { RunRecord } from '../run/run.record.js';
import { SimulationRun } from '../run/simulation.run.js';

/** Records what the operator has seen. */
class Seen {
  note = async (_size: string): Promise<void> => {};
}

@Injectable()
class SeeingOperator {
  constructor(@Inject(Seen) private readonly seen: Seen) {}

  @OnEvent('configmaps.v1', { labels: { app: 'claim' } })
  onEvent({ body, type }: EventContext): Promise<void> {
    return this.seen.note(`${type ?? 'LISTED'} ${(body as { data?: { size?: string } }).data?.size}`);
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [SeeingOperator, Seen] })
class SeeingModule {}

/** Changes an object to the sizes 1 to 4, each time when the operator is at rest. */
async function run(...faults: readonly SimulationFault[]): Promise<RunRecord & { readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const world = await prepareWorld(SeeingModule, {
    workload: async (kube) => {
      for (const size of ['1', '2', '3', '4']) {
        const metadata = { name: 'a', labels: { app: 'claim' } };
        await kube.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { size } } as never);
        await kube.settled();
      }
    },
    override: (builder, effects) =>
      builder.overrideProvider(Seen).useValue({
        note: (size: string) => effects.record('see', size, () => void seen.push(size)),
      }),
  });
  const record = await new SimulationRun(world, { seed: 1, faults }).execute();
  expect(record.violations).toEqual([]);
  expect(record.fired.size).toBe(faults.length);
  return { ...record, seen };
}

const RESOURCE = { resource: 'configmaps' };

describe('WatchPartitions', () => {
  it('should show all changes without any', async () => {
    expect((await run()).seen).toEqual(['ADDED 1', 'MODIFIED 2', 'MODIFIED 3', 'MODIFIED 4']);
  });

  it('should show changes late, and each of them, by a server that is behind', async () => {
    const { seen, timeline } = await run({ kind: 'stale', ...RESOURCE, fromChange: 2, untilChange: 3 });
    expect(seen).toEqual(['ADDED 1', 'MODIFIED 2', 'MODIFIED 3', 'MODIFIED 4']);
    const texts = timeline.entries.map(({ text }) => text);
    expect(texts.indexOf('effect see MODIFIED 2')).toBeGreaterThan(
      texts.findIndex((text) => text.startsWith('modified ConfigMap default/a (change 3')),
    );
  });

  it('should show changes when nothing happens any more, unless the plan says when', async () => {
    const { timeline } = await run({ kind: 'stale', ...RESOURCE, fromChange: 2 });
    const texts = timeline.entries.map(({ text }) => text);
    const over = texts.findIndex((text) => text.startsWith('over: the operator sees no configmaps from change 2 on'));
    expect(texts.indexOf('effect see MODIFIED 2')).toBeGreaterThan(over);
    expect(texts.filter((text) => text.includes('which operator cannot see'))).toHaveLength(1);
  });

  it('should let a process that starts at a server that is behind see the newest state, as its first list is consistent', async () => {
    const stale: SimulationFault = { kind: 'stale', ...RESOURCE, fromChange: 2, untilChange: 4 };
    const { seen } = await run(stale, { kind: 'crash', afterWrite: 1 });
    expect(seen.at(-1)).toBe('MODIFIED 4');
    expect(seen.filter((each, index) => seen.indexOf(each) < index && !each.endsWith(' 1'))).toEqual([]);
  });

  it('should never show what lies between the changes of a disconnection', async () => {
    const { seen } = await run({ kind: 'missed-events', ...RESOURCE, fromChange: 2, untilChange: 3 });
    expect(seen).toEqual(['ADDED 1', 'LISTED 3', 'MODIFIED 4']);
  });
});
