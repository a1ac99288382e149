import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The figures of the operator's process since the last time that they were asked for. */
export interface ProcessFigures {
  /** Processor time in milliseconds, that of helper threads included. */
  readonly cpu: number;
  /** The largest heap that was in use, garbage included, in bytes. */
  readonly peak: number;
  /** The heap that is in use now, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** The longest time for which nothing else came to its turn, in milliseconds. */
  readonly longestTurn: number;
}

/** The reference operator in a process of its own, which can be asked for its figures. */
export class OperatorProcess {
  private constructor(private readonly child: ChildProcess) {}

  static start(kubeconfig: string): OperatorProcess {
    const { BENCH_OPERATOR = '', BENCH_REPORTER = '' } = process.env;
    const options = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
    const args = ['--expose-gc', ...options, '--import', BENCH_REPORTER, BENCH_OPERATOR];
    const child = spawn(process.env.BENCH_NODE ?? process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    return new OperatorProcess(child);
  }

  /** @param collect whether garbage is collected before the heap is measured */
  async figures(collect = false): Promise<ProcessFigures> {
    this.child.send({ collect });
    const [figures] = (await once(this.child, 'message')) as [ProcessFigures];
    return figures;
  }

  /** Waits until the process has taken no processor time worth mentioning for a second: nothing waits for an event any more. */
  async idle(): Promise<ProcessFigures> {
    let cpu: number;
    do {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      ({ cpu } = await this.figures());
    } while (cpu > 20);
    return this.figures(true);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
