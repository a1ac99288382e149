import { createCliBench } from './cli.bench.spec-support.js';
import { ProgressBar } from './progress.bar.js';

const ERASE = '\r\u001B[K';

describe('ProgressBar', () => {
  async function run(isTTY: boolean, total: number | undefined, seconds: number, steps: number): Promise<string> {
    const bench = createCliBench({ isTTY });
    const bar = new ProgressBar(bench.environment, 'objects', total);
    for (let step = 0; step < steps; step++) {
      await bench.clock.advance(seconds * 1000);
      bar.step();
    }
    bar.close();
    return bench.err;
  }

  it('should show how far the command is, and how long it still takes, and vanish', async () => {
    const pictures = (await run(true, 4, 0.4, 4)).split(ERASE);
    expect(pictures).toEqual([
      '',
      `[${'#'.repeat(15)}${'.'.repeat(15)}] 2 of 4 objects, 1 s left`,
      `[${'#'.repeat(23)}${'.'.repeat(7)}] 3 of 4 objects, 1 s left`,
      `[${'#'.repeat(30)}] 4 of 4 objects, 0 s left`,
      '',
    ]);
  });

  it('should count where the total is unknown', async () => {
    expect(await run(true, undefined, 0.6, 2)).toBe(`${ERASE}1 objects${ERASE}2 objects${ERASE}`);
  });

  it('should draw no more than ten pictures a second', async () => {
    expect((await run(true, 10_000, 0.001, 2_000)).split(ERASE)).toHaveLength(1 + 16 + 1);
  });

  it('should note what takes long in lines that stay, also without a terminal', async () => {
    const bench = createCliBench({ isTTY: false });
    new ProgressBar(bench.environment, 'plans').note('A plan takes long.');
    expect(bench.err).toBe('A plan takes long.\n');
    const terminal = createCliBench({ isTTY: true });
    const bar = new ProgressBar(terminal.environment, 'plans');
    await terminal.clock.advance(1000);
    bar.step();
    bar.note('A plan takes long.');
    expect(terminal.err).toBe(`${ERASE}1 plans${ERASE}A plan takes long.\n`);
  });

  it('should not show anything if the command is quick, or there is no terminal', async () => {
    expect(await run(true, 10, 0.01, 10)).toBe('');
    expect(await run(false, 10, 1, 10)).toBe('');
  });
});
