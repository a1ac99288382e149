import { writeFileSync } from 'node:fs';
import { generateProgram } from './program.generator.js';
import type { Program } from './program.js';
import type { Side } from './side.process.js';
import type { DifferentialTestbed } from './differential.testbed.js';
import { compareTraces, traceOf, type Trace } from './trace.comparison.js';

/** Limits how often a program is run again after its runs differed: what depends on the machine's speed is not the same each time. */
const REPETITIONS = 3;

/** By which sides programs are run: by one, or by two of which the second takes over at the place that the program says. */
export interface Way {
  readonly name: string;
  readonly sides: readonly [Side] | readonly [Side, Side];
}

/** The result of an experiment. */
export interface Report {
  programs: number;
  calls: number;
  writes: number;
  /** Programs that differed once, but not when they were repeated. */
  readonly unsteady: string[];
  readonly differences: string[];
}

/** A program with the traces of each way, of all its repetitions. */
interface Case {
  readonly program: Program;
  readonly traces: readonly Trace[][];
  first?: readonly string[];
}

/** Runs programs in several ways, and compares what happens with what happens in the first way. */
export class Experiment {
  readonly report: Report = { programs: 0, calls: 0, writes: 0, unsteady: [], differences: [] };
  private attempts = 0;

  constructor(
    private readonly testbed: DifferentialTestbed,
    private readonly ways: readonly [control: Way, ...candidates: Way[]],
  ) {}

  /** Runs the programs of so many seeds, so many at the same time. */
  async run(seed: number, count: number, batch: number): Promise<void> {
    for (let from = 0; from < count; from += batch) {
      const length = Math.min(batch, count - from);
      await this.runBatch(Array.from({ length }, (_, index) => generateProgram(seed + from + index)));
    }
  }

  private async runBatch(programs: readonly Program[]): Promise<void> {
    const begin = performance.now();
    const [controls, ...candidates] = await this.runAllWays(programs);
    for (const trace of [controls, ...candidates].flat()) this.count(trace);
    this.report.programs += programs.length;
    const cases = programs.map((program, index): Case => {
      return { program, traces: [controls, ...candidates].map((each) => [each[index]]) };
    });
    const first = cases.filter((each) => this.findDifferences(each).length);
    for (const each of first) each.first = this.findDifferences(each);
    let left = first;
    for (let repeated = 0; left.length && repeated < REPETITIONS; repeated++) {
      const more = await this.runAllWays(left.map(({ program }) => program));
      for (const [way, traces] of more.entries()) traces.forEach((trace, index) => left[index].traces[way].push(trace));
      left = left.filter((each) => this.findDifferences(each).length);
    }
    this.report.unsteady.push(...first.filter((each) => !left.includes(each)).flatMap((each) => each.first ?? []));
    this.report.differences.push(...left.flatMap((each) => this.findDifferences(each)));
    const seconds = ((performance.now() - begin) / 1000).toFixed(0);
    console.log(`${programs[0].name} and ${programs.length - 1} more programs in ${seconds} s`);
  }

  /** The ways of which no run was like any run of the control. */
  private findDifferences({ program: { name }, traces }: Case): string[] {
    const [controls, ...candidates] = traces;
    return candidates.flatMap((candidate, index) => {
      const found = candidate.flatMap((trace) => controls.map((control) => compareTraces(control, trace)));
      return found.includes(undefined) ? [] : [`${name}, ${this.ways[index + 1].name}: ${found[0]}`];
    });
  }

  private count(trace: Trace): void {
    this.report.calls += trace.filter(({ type }) => type === 'call').length;
    this.report.writes += trace.filter(({ type }) => type === 'write').length;
  }

  private runAllWays(programs: readonly Program[]): Promise<Trace[][]> {
    const attempt = ++this.attempts;
    return Promise.all(this.ways.map((way) => this.runOneWay(programs, way, attempt)));
  }

  private async runOneWay(programs: readonly Program[], { name, sides }: Way, attempt: number): Promise<Trace[]> {
    const isCut = sides.length > 1;
    const runs = await Promise.all(
      programs.map((program) =>
        this.testbed.prepare(program, `${program.name}-${name}-${attempt}`, isCut ? program.cut : undefined),
      ),
    );
    for (const side of sides) {
      const process = this.testbed.start(side);
      try {
        await Promise.all(runs.map((run) => run.play(process)));
      } finally {
        // What is left of the operators ends as in a crash.
        await process.kill();
      }
    }
    const traces = runs.map(traceOf);
    const folder = globalThis.process.env.DIFFERENTIAL_REPORT;
    for (const [index, run] of folder ? runs.entries() : []) {
      writeFileSync(`${folder}/${run.name}.json`, JSON.stringify({ program: programs[index], trace: traces[index] }));
    }
    return traces;
  }
}
