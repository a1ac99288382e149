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

  it('should not be stuck while the operator pauses', () => {
    const world = new StatesWorld(-600);
    world.lifecycle.pauseStatus.reasons.push('Another operator is at work.');
    expect(world.states.all().get('a')).toMatchObject({ phase: 'waiting' });
    world.lifecycle.pauseStatus.reasons.pop();
    world.states.invalidate();
    expect(world.states.all().get('a')).toMatchObject({ phase: 'stuck' });
  });
});
