import { VirtualClock } from 'nestjs-kopf/testing';
import { PaceOracle } from './pace.oracle.js';

/** Lets an operator write a number of times, with a pause before each write. @param pause in milliseconds */
async function paceOf(path: string, writes: number, pause: number): Promise<PaceOracle> {
  const clock = new VirtualClock();
  const oracle = new PaceOracle(clock);
  for (let write = 0; write < writes; write++) {
    await clock.advance(pause);
    oracle.note({ method: 'PATCH', path, headers: {} });
  }
  return oracle;
}

const OBJECT = '/api/v1/namespaces/default/configmaps/a';

describe('PaceOracle', () => {
  it('should find an object that is written again and again', async () => {
    const message = `the operator writes again and again: ${OBJECT}`;
    expect((await paceOf(OBJECT, 130, 400)).violations).toEqual([{ check: 'hot-loop', message }]);
    expect((await paceOf(`${OBJECT}/status?dryRun=`, 130, 400)).violations).toEqual([{ check: 'hot-loop', message }]);
    expect((await paceOf(OBJECT, 130, 1000)).violations).toEqual([]);
  });

  it('should not take events for a loop that come all at once after an outage', async () => {
    expect((await paceOf('/api/v1/namespaces/default/events', 130, 100)).violations).toEqual([]);
    expect((await paceOf('/apis/example.com/v1/events/a', 130, 400)).violations).toHaveLength(1);
  });

  it('should find a loop in which no time passes, whatever is written', async () => {
    expect((await paceOf(OBJECT, 301, 0)).isLooping).toBe(true);
    expect((await paceOf('/api/v1/namespaces/default/events', 301, 0)).isLooping).toBe(true);
    expect((await paceOf(OBJECT, 300, 0)).isLooping).toBe(false);
  });
});
