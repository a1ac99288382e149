import { Deferred } from 'kube-common';
import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import type { ChildProgramOptions, CliEnvironment } from '../cli.environment.js';
import { DevOutput } from './dev.output.js';
import type { DevReport } from './dev.options.js';
import { DevSession } from './dev.session.js';
import type { WebhookCleanup } from './webhook.cleanup.js';

/** A session whose operators are the test itself, on virtual time. */
class SessionHarness {
  readonly clock = new VirtualClock();
  private readonly written: string[] = [];
  private readonly children: { readonly options: ChildProgramOptions; readonly ended: Deferred<number> }[] = [];
  private readonly session: DevSession;
  private readonly running: Promise<void>;

  constructor() {
    const environment = {
      variables: {},
      folder: '/',
      stdout: { write: (text: string) => this.written.push(text) },
      stderr: { write: () => undefined },
      clock: this.clock,
      random: new SeededRandom(1),
      startChild: (options: ChildProgramOptions) => {
        const ended = new Deferred<number>();
        this.children.push({ options, ended });
        const end = (): void => ended.resolve(0);
        return { pid: this.children.length, ended: ended.promise, send: end, kill: end };
      },
    } as unknown as CliEnvironment;
    this.session = new DevSession({
      environment,
      output: new DevOutput(environment, 'json'),
      task: {
        files: [],
        options: { logFormat: 'plain' },
        managed: 'm',
        webhooks: { way: 'off' },
        appliesCrds: true,
        isTTY: false,
      },
      cleanup: {} as WebhookCleanup,
      nodeOptions: [],
      variables: {},
      files: () => [],
      prepare: () => Promise.resolve(),
    });
    this.running = this.session.run();
    onTestFinished(async () => {
      this.session.stop();
      await this.clock.runUntil(this.running);
    });
  }

  /** Sends a message of the operator that runs now. */
  report(message: DevReport): void {
    this.children.at(-1)!.options.onMessage(message);
  }

  async restart(): Promise<void> {
    this.session.reload();
    await this.clock.settle();
  }

  /** The messages of the session with this name. */
  events(name: string): readonly any[] {
    return this.written.map((line) => JSON.parse(line) as { event: string }).filter(({ event }) => event === name);
  }
}

const STARTED = { type: 'started', isUnserved: false } as const;

describe('A session of kopf dev', () => {
  let harness: SessionHarness;

  beforeEach(async () => {
    harness = new SessionHarness();
    await harness.clock.settle();
  });

  it('should report what a start does that takes long', async () => {
    await harness.clock.advance(2_500);
    harness.report({ type: 'step', step: 'loading the files' });
    await harness.clock.advance(2_000);
    harness.report({ type: 'step', step: 'starting the application' });
    await harness.clock.advance(2_000);
    expect(harness.events('progress').map(({ text }) => text)).toEqual([
      'Still starting the process, 2 s after the start.',
      'Still loading the files, 4 s after the start.',
      'Still starting the application, 6 s after the start.',
    ]);
    harness.report(STARTED);
    expect(harness.events('started')).toMatchObject([
      {
        seconds: 6.5,
        text:
          'The operator has started after 6.5 s (starting the process 2.5 s, loading the files 2.0 s, ' +
          'starting the application 2.0 s). Changes of 0 files restart it.',
      },
    ]);
    await harness.clock.advance(60_000);
    expect(harness.events('progress')).toHaveLength(3);
  });

  it('should report nothing but the start that is short', async () => {
    await harness.clock.advance(1_500);
    harness.report(STARTED);
    await harness.clock.advance(60_000);
    expect(harness.events('progress')).toEqual([]);
    expect(harness.events('started')).toMatchObject([
      { text: 'The operator has started after 1.5 s. Changes of 0 files restart it.' },
    ]);
  });

  it('should report the progress of the last start only', async () => {
    await harness.clock.advance(1_000);
    await harness.restart();
    await harness.clock.advance(2_500);
    expect(harness.events('starting')).toHaveLength(2);
    expect(harness.events('progress').map(({ seconds }) => seconds)).toEqual([2]);
  });

  it('should say where controllers are served, or once that they are not', async () => {
    harness.report({ type: 'started', isUnserved: true });
    await harness.restart();
    harness.report({ type: 'started', isUnserved: true });
    expect(harness.events('unserved')).toHaveLength(1);
    await harness.restart();
    harness.report({ type: 'started', address: 'http://127.0.0.1:3000', isUnserved: false });
    expect(harness.events('started').at(-1)).toMatchObject({
      address: 'http://127.0.0.1:3000',
      text: 'The operator has started after 0.0 s. The application listens at http://127.0.0.1:3000. Changes of 0 files restart it.',
    });
  });
});
