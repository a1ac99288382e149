import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { SlowHandlers } from './slow.handlers.js';

function make(threshold: number | null = 10) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const settings = { threshold };
  const slow = new SlowHandlers(clock, () => settings.threshold);
  return {
    clock,
    logger,
    settings,
    begin: (title: string) => slow.begin({ id: title, title }, logger, 1),
    end: slow.end.bind(slow),
  };
}

describe('SlowHandlers', () => {
  it('should warn once of each call that takes too long, with one timer for all', async () => {
    const { clock, logger, begin } = make();
    begin('one');
    await clock.advance(4000);
    begin('two');
    expect(clock.pending).toBe(1);
    await clock.advance(6000);
    expect(logger.messages('warn')).toEqual([expect.stringMatching(/^one has not returned for 10 seconds\./)]);
    await clock.advance(3999);
    expect(logger.lines.length).toBe(1);
    await clock.advance(1_000_000);
    expect(logger.messages('warn').map((line) => line.slice(0, 3))).toEqual(['one', 'two']);
    expect(clock.pending).toBe(0);
  });

  it('should not warn of calls that have ended, and leave no timer behind', async () => {
    const { clock, logger, begin, end } = make();
    const [one, two] = [begin('one'), begin('two')];
    end(one);
    expect(clock.pending).toBe(1);
    end(two);
    end(two);
    expect(clock.pending).toBe(0);
    const three = begin('three');
    await clock.advance(9999);
    end(three);
    await clock.advance(100_000);
    expect(logger.lines).toEqual([]);
  });

  it('should do nothing if it is switched off, also meanwhile', async () => {
    const { clock, logger, settings, begin, end } = make();
    begin('one');
    settings.threshold = null;
    end(begin('two'));
    await clock.advance(100_000);
    expect([logger.lines, clock.pending]).toEqual([[], 0]);
  });
});
