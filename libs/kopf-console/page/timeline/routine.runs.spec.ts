import type { TimedEvent } from '../live/recent.events.js';
import { foldRoutine } from './routine.runs.js';

let number = 0;

function entry(type: 'call' | 'outcome', id: string, reason: string, error?: string): TimedEvent {
  const call = {
    id,
    reason,
    attempt: 1,
    ...(error && { error }),
    ...(type === 'outcome' && { outcome: OUTCOMES[error ? 1 : 0] }),
  };
  return { number: ++number, time: number, type, actor: { kind: 'operator', name: 'operator' }, text: id, call };
}

const OUTCOMES = ['succeeded', 'retried'] as const;
const tick = (id = 'check') => [entry('call', id, 'timer'), entry('outcome', id, 'timer')];

/** Describes entries by their texts, and runs by their calls. */
function describeAll(events: readonly TimedEvent[]): readonly string[] {
  return foldRoutine(events).map((each) =>
    'calls' in each ? [...each.calls].map(([id, count]) => `${id} x${count}`).join(', ') : each.text,
  );
}

describe('routine entries of a log', () => {
  it('should be one entry with the numbers of calls', () => {
    const events = [...tick(), ...tick('archive'), ...tick(), ...tick()];
    expect(describeAll(events)).toEqual(['check x3, archive x1']);
    expect((foldRoutine(events)[0] as { events: unknown }).events).toEqual(events);
  });

  it('should stay between what has changed, and one alone by itself', () => {
    const change = entry('call', 'update', 'update');
    const [begun] = tick();
    expect(describeAll([begun, change, ...tick(), ...tick()])).toEqual(['check', 'update', 'check x2']);
  });

  it('should not have failures among them', () => {
    const failure = entry('outcome', 'check', 'timer', 'no disk');
    expect(describeAll([...tick(), ...tick(), failure, ...tick(), ...tick()])).toEqual([
      'check x2',
      'check',
      'check x2',
    ]);
  });

  it('should be none in a log without them', () => {
    expect(foldRoutine([])).toEqual([]);
  });
});
