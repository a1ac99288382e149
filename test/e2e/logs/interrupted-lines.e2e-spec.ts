import { Injectable } from '@nestjs/common';
import { OnLog, type LogContext } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { runPod } from './logs.operator.js';

/** LOG_LINES=1000000 LOG_FAULTS=1000 runs the long form. */
const LINES = Number(process.env.LOG_LINES ?? 20_000);
const FAULTS = Number(process.env.LOG_FAULTS ?? 40);

/** Records how often each line has come, and which lines came before one that was written earlier. */
@Injectable()
class CountingOperator {
  readonly counts = new Uint8Array(LINES);
  readonly misplaced: string[] = [];
  private last = -1;
  private lastRun = 0;

  @OnLog('pods')
  count({ message, restartCount }: LogContext) {
    const [, number, run] = /^line (\d+) of run (\d+)$/.exec(message) ?? [];
    const line = Number(number);
    if (line !== this.last + 1 || Number(run) !== restartCount || restartCount < this.lastRun) {
      this.misplaced.push(`${message} (${restartCount}) after ${this.last}`);
    }
    this.last = line;
    this.lastRun = restartCount;
    this.counts[line] += 1;
  }
}

describe('lines of a container that is interrupted again and again', () => {
  it(
    `should come once each, in their order: ${LINES} lines, ${FAULTS} interruptions`,
    { timeout: 3_600_000 },
    async () => {
      const harness = await OperatorHarness.start({ definition: false, kube: { pods: true } });
      const { faults, pods } = harness.kube;
      await harness.run(CountingOperator, { logs: { silenceTimeout: 20 } });
      await runPod(harness, 'web');
      const { counts, misplaced } = harness.get(CountingOperator);
      const random = new SeededRandom(7);
      const done = { cut: 0, end: 0, stall: 0, rotation: 0, restart: 0 };
      let [written, run] = [0, 0];
      const print = (lines: number): void => {
        const text = Array.from({ length: lines }, () => `line ${written++} of run ${run}\n`).join('');
        // The line is written in two parts: the first one ends in its middle.
        const middle = Math.floor(random.next() * text.length);
        for (const part of [text.slice(0, middle), text.slice(middle)]) if (part) pods.print('web', part);
      };
      const kinds = Object.keys(done) as (keyof typeof done)[];
      const size = Math.floor(LINES / FAULTS / 2);
      for (let fault = 0; fault < FAULTS; fault++) {
        const kind = kinds[Math.floor(random.next() * kinds.length)];
        done[kind] += 1;
        print(size);
        // A file is rotated when it has been read; all other faults happen at any time.
        if (kind === 'rotation') await harness.advance(65);
        else if (random.next() < 0.5) await harness.advance(random.next());
        if (kind === 'rotation') pods.rotateLog('web', { losesFollowers: true });
        else if (kind !== 'restart') faults.damageLogs(kind);
        else if (random.next() < 0.5) faults.damageLogs('stall');
        print(size);
        if (kind === 'restart') {
          await pods.fail('web');
          run += 1;
          await harness.advance(310);
        }
        await harness.advance(kind === 'stall' || kind === 'rotation' ? 45 : random.next() * 3);
      }
      print(LINES - written);
      await harness.advance(60);
      expect(misplaced.slice(0, 5)).toEqual([]);
      expect({
        lost: counts.filter((count) => count === 0).length,
        twice: counts.filter((count) => count > 1).length,
      }).toEqual({ lost: 0, twice: 0 });
      for (const kind of kinds) expect(done[kind], kind).toBeGreaterThan(0);
    },
  );
});
