import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestProcess } from '../../support/programs/child.process.js';
import type { Program } from './program.js';
import type { CommandSource } from './recording.proxy.js';

export type Side = 'kopf' | 'ours';

/** The data that a side needs to run the operator of a program. */
export interface InstanceDescription {
  readonly id: string;
  readonly namespace: string;
  readonly plural: string;
  readonly program: Program;
}

/** The next command of a process, which answers by asking for more. */
export type Command = { readonly number: number } & CommandBody;

type CommandBody =
  | { readonly do: 'start'; readonly instance: InstanceDescription }
  | { readonly do: 'stop'; readonly id: string }
  | { readonly do: 'settle' };

/** The interpreters by which the programs of both sides are run. */
export interface Interpreters {
  readonly python: string;
  readonly bundle: string;
}

/** Seconds that a process may take for any command. */
const PATIENCE = 40;

/** A process of one side, with the operators of any number of programs. */
export class SideProcess implements CommandSource {
  private readonly process: TestProcess;
  private readonly queue: Command[] = [];
  private readonly waiting = new Map<number, () => void>();
  private wake?: () => void;
  private count = 0;
  private settling?: Promise<void>;

  constructor(
    readonly side: Side,
    name: string,
    coordinator: string,
    { python, bundle }: Interpreters,
  ) {
    const env = { COORDINATOR: coordinator, PROCESS: name };
    const script = join(import.meta.dirname, 'python_side.py');
    this.process =
      side === 'kopf' ? new TestProcess(python, [script], env) : new TestProcess(process.execPath, [bundle], env);
  }

  get output(): string {
    return this.process.output;
  }

  check(): void {
    this.process.check();
  }

  /** Resolves when the operator was started; it begins to work later. */
  start(instance: InstanceDescription): Promise<void> {
    return this.command({ do: 'start', instance });
  }

  /** Resolves when the operator has stopped. */
  stop(id: string): Promise<void> {
    return this.command({ do: 'stop', id });
  }

  /** Resolves when all that could be done without waiting was done: however slow the machine is, the process has had its turn. */
  async settle(): Promise<void> {
    // The one that is under way may have begun too early for the caller.
    await this.settling;
    this.settling ??= this.command({ do: 'settle' }).finally(() => (this.settling = undefined));
    await this.settling;
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  async next(after: number): Promise<readonly Command[]> {
    while (this.queue.length && this.queue[0].number <= after) this.queue.shift();
    if (!this.queue.length) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.queue;
  }

  finish(done: number): void {
    this.waiting.get(done)?.();
    this.waiting.delete(done);
  }

  /** @throws Error if the process ends instead, or takes too long. */
  private async command(body: CommandBody): Promise<void> {
    const number = ++this.count;
    this.queue.push({ ...body, number });
    this.wake?.();
    let isDone = false;
    const answered = new Promise<void>((resolve) => this.waiting.set(number, resolve)).then(() => (isDone = true));
    for (let seconds = 0; !isDone; seconds++) {
      this.check();
      if (seconds > PATIENCE) throw new Error(`${this.side} does not ${body.do}:\n${this.output.slice(-4000)}`);
      await Promise.race([answered, pause(1000, undefined, { ref: false })]);
    }
  }
}
