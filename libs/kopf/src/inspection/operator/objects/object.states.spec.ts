import { MemoryLogger } from '../../../../../../test/support/telemetry/memory.logger.js';
import type { PendingCall } from '../../../execution/slow.handlers.js';
import { VirtualClock } from '../../../testing/index.js';
import { Inventory } from '../../../handling/inventory.js';
import { OVERDUE_TEXT } from '../../objects/now.lists.js';
import { ActiveObjects } from '../history/active.objects.js';
import { ObjectHistories } from '../history/object.histories.js';
import { ObjectStates } from './object.states.js';

/** An operator with one object, whose handler is due in some seconds. */
class StatesWorld {
  readonly clock = new VirtualClock();
  readonly inventory = new Inventory({});
  readonly lifecycle = { engine: { inventory: this.inventory }, pauseStatus: { reasons: [] as string[] } };
  readonly pending: PendingCall[] = [];
  readonly states: ObjectStates;

  constructor(seconds: number) {
    const delayed = new Date(this.clock.now() + seconds * 1000).toISOString();
    this.inventory.recall('a', false).progress.noteRead('create', { retries: 1, delayed });
    const histories = new ObjectHistories({ perObject: 10, objects: 10 });
    const watchers = { all: [] };
    this.states = new ObjectStates(
      this.lifecycle as never,
      watchers as never,
      histories,
      new ActiveObjects(),
      { pending: this.pending },
      this.clock,
    );
  }
}

describe('The state of an object', () => {
  it('should go from waiting over due to stuck with time', async () => {
    const { states, clock } = new StatesWorld(10);
    expect(states.all().get('a')).toMatchObject({ phase: 'waiting', progress: [{ state: 'waiting' }] });
    await clock.advance(11_000);
    expect(states.all().get('a')).toMatchObject({ phase: 'waiting', progress: [{ state: 'due' }] });
    await clock.advance(61_000);
    const stuck = { handler: 'create', text: OVERDUE_TEXT };
    expect(states.all().get('a')).toMatchObject({ phase: 'stuck', stuck });
  });

  it.each<[kind: string | undefined, seconds: number, phase: string]>([
    [undefined, 59, 'inWork'],
    [undefined, 60, 'stuck'],
    ['timer', 600, 'inWork'],
  ])('should know a handler of the kind %s that has not returned for %i seconds: %s', async (kind, seconds, phase) => {
    const { states, clock, pending } = new StatesWorld(3600);
    const handler = { id: 'create', title: 'create', kind };
    pending.push({ handler, logger: new MemoryLogger(), uid: 'a', attempt: 2, since: clock.monotonic() });
    const startedAt = clock.now();
    await clock.advance(seconds * 1000);
    expect(states.of('a')).toMatchObject({ phase, progress: [{ handler: 'create', state: 'running' }] });
    const { progress } = states.of('a')!;
    expect(progress[0].startedAt).toBe(startedAt);
  });

  it('should not be stuck while the operator pauses', () => {
    const world = new StatesWorld(-600);
    world.lifecycle.pauseStatus.reasons.push('Another operator is at work.');
    expect(world.states.all().get('a')).toMatchObject({ phase: 'waiting' });
    world.lifecycle.pauseStatus.reasons.pop();
    world.states.invalidate();
    expect(world.states.all().get('a')).toMatchObject({ phase: 'stuck' });
  });
});
