// dev: the parts of `kopf dev`. The session is the process that the user starts: it has the API server, watches files, and starts another
// process for each run of the operator (dev.operator.ts), as Node.js cannot load a changed module again. May import: the other files of cli, and what these may import.

import { isAbsolute, relative } from 'node:path';
import { Deferred, errorText, sleep } from 'kube-common';
import type { ChildProgram, CliEnvironment } from '../cli.environment.js';
import type { DevOutput } from './dev.output.js';
import { DEV_OPERATOR, type DevReport, type DevTask } from './dev.options.js';
import { FileWatcher } from './file.watcher.js';
import { MARK_LIFETIME, type WebhookCleanup } from './webhook.cleanup.js';

/** The dependencies of a session. */
export interface DevSessionParts {
  readonly environment: CliEnvironment;
  readonly output: DevOutput;
  readonly task: DevTask;
  readonly cleanup: WebhookCleanup;
  /** Options of Node.js for the operator's process. */
  readonly nodeOptions: readonly string[];
  readonly variables: CliEnvironment['variables'];
  /** Returns the files whose changes matter beside those that the operator loads. */
  files(): readonly string[];
  /** Updates the cluster before the operator is started. */
  prepare(): Promise<void>;
}

/** Seconds for the operator to finish what it does, before it is ended for the next one. */
const GRACE = 10;
/** Seconds between two messages about a start that takes long. */
const PROGRESS_INTERVAL = 2;
/** Seconds beyond which a start is said to take its time for which steps. */
const LONG_START = 5;
/** Seconds for the requests that remove webhooks when everything is to end at once. */
const HASTE = 3;

/**
 * The session that runs the operator until it is stopped, and restarts it with each change of its files, and whenever the user asks for it.
 */
export class DevSession {
  private readonly watcher: FileWatcher;
  /** The names of webhook configurations that the operator may have written. */
  private readonly managed: Set<string>;
  private readonly stopping = new AbortController();
  private readonly ended = new AbortController();
  private asked = new Deferred<void>();
  private operator?: ChildProgram;
  private marking: Promise<void> = Promise.resolve();
  private startedAt = 0;
  /** The steps of the present start, each with the time at which it has begun, in milliseconds. */
  private steps: { readonly step: string; readonly since: number }[] = [];
  private hasHinted = false;
  private isStarted = false;
  private loaded: readonly string[] = [];

  constructor(private readonly parts: DevSessionParts) {
    const { environment, output, task } = parts;
    this.managed = new Set([task.managed]);
    this.watcher = new FileWatcher(
      environment.clock,
      (files) => {
        const names = files.map((file) => this.nameOf(file)).join(', ');
        output.report('changed', `Changed: ${names}.`, { files });
        this.reload();
      },
      () => !this.isStarted,
    );
  }

  /** Runs until {@link stop} is called. */
  async run(): Promise<void> {
    const { output } = this.parts;
    try {
      while (!this.stopping.signal.aborted) {
        this.asked = new Deferred();
        // Until the operator reports the files that it loads, the error can be in any file that it has loaded before.
        this.watcher.watch([...this.parts.files(), ...this.loaded]);
        if (await this.isPrepared()) {
          this.start();
          const code = await Promise.race([this.operator!.ended, this.asked.promise]);
          if (typeof code === 'number') this.reportEnd(code);
          else await this.end();
          await this.removeWebhooks();
        }
        if (!this.stopping.signal.aborted) await this.asked.promise;
      }
    } finally {
      this.ended.abort();
      this.watcher.close();
      output.report('stopped', 'Stopped.');
    }
  }

  /** Restarts the operator. */
  reload(): void {
    this.asked.resolve();
  }

  /** Stops the operator gracefully, and ends the session. */
  stop(): void {
    this.stopping.abort();
    this.asked.resolve();
  }

  /** Ends the operator at once; its webhooks are removed, unless that takes too long. */
  async kill(): Promise<void> {
    this.stopping.abort();
    this.operator?.kill();
    await Promise.race([this.removeWebhooks(), sleep(this.parts.environment.clock, HASTE)]);
  }

  private async isPrepared(): Promise<boolean> {
    try {
      await this.parts.prepare();
      return true;
    } catch (error) {
      this.isStarted = false;
      this.parts.output.report(
        'failed',
        `${errorText(error)}\nWaiting for a change.`,
        { error: errorText(error) },
        'bad',
      );
      return false;
    }
  }

  private start(): void {
    const { environment, output, task, nodeOptions, variables } = this.parts;
    this.isStarted = false;
    this.startedAt = environment.clock.monotonic();
    this.steps = [];
    this.beginStep('starting the process');
    this.operator = environment.startChild!({
      args: [DEV_OPERATOR, JSON.stringify(task)],
      nodeOptions,
      variables,
      onMessage: (message) => this.take(message as DevReport),
      onLine: (line, isError) => output.line(line, isError),
    });
    const { pid } = this.operator;
    output.report('starting', `Starting the operator in the process ${pid}.`, { pid });
    void this.reportProgress(this.operator);
  }

  private take(report: DevReport): void {
    if (report.type === 'managed') this.managed.add(report.name);
    else if (report.type === 'files') {
      this.loaded = report.files;
      this.watcher.add(report.files);
    } else if (report.type === 'step') this.beginStep(report.step);
    else if (report.type === 'serving') this.marking = this.markWebhooks(this.operator!);
    else this.reportStarted(report);
  }

  private beginStep(step: string): void {
    this.steps.push({ step, since: this.parts.environment.clock.monotonic() });
  }

  /** Reports what a start is doing that takes long. */
  private async reportProgress(operator: ChildProgram): Promise<void> {
    const { environment, output } = this.parts;
    while (await sleep(environment.clock, PROGRESS_INTERVAL, this.ended.signal)) {
      if (this.operator !== operator || this.isStarted) return;
      const { step } = this.steps.at(-1)!;
      const seconds = Math.round(this.secondsSince(this.startedAt));
      output.report('progress', `Still ${step}, ${seconds} s after the start.`, { step, seconds });
    }
  }

  private reportStarted({ address, isUnserved }: Extract<DevReport, { type: 'started' }>): void {
    const { output } = this.parts;
    this.isStarted = true;
    const seconds = this.secondsSince(this.startedAt);
    const count = this.watcher.size;
    const long = seconds > LONG_START ? ` (${this.describeSteps()})` : '';
    const served = address === undefined ? '' : ` The application listens at ${address}.`;
    const text = `The operator has started after ${seconds.toFixed(1)} s${long}.${served} Changes of ${count} files restart it.`;
    output.report('started', text, { seconds, files: count, address }, 'good');
    if (isUnserved && !this.hasHinted) {
      this.hasHinted = true;
      output.report('unserved', 'The application has controllers, which are not served: --listen 3000 serves them.');
    }
  }

  /** The steps of the start that has just ended, with the time that each has taken. */
  private describeSteps(): string {
    const ends = [...this.steps.slice(1).map(({ since }) => since), this.parts.environment.clock.monotonic()];
    return this.steps
      .map(({ step, since }, index) => `${step} ${((ends[index] - since) / 1000).toFixed(1)} s`)
      .join(', ');
  }

  private secondsSince(time: number): number {
    return (this.parts.environment.clock.monotonic() - time) / 1000;
  }

  /** Marks the webhooks of the operator, and keeps the marks valid as long as it runs. */
  private async markWebhooks(operator: ChildProgram): Promise<void> {
    const { cleanup, environment } = this.parts;
    const mark = async (): Promise<void> => {
      for (const name of this.managed) this.warn(await cleanup.mark(name));
    };
    await mark();
    const renew = async (): Promise<void> => {
      while (await sleep(environment.clock, MARK_LIFETIME / 3, this.ended.signal)) {
        if (this.operator !== operator) return;
        this.marking = mark();
      }
    };
    void renew();
  }

  private async removeWebhooks(): Promise<void> {
    if (this.parts.task.webhooks.way === 'off') return;
    // A mark that is under way would put them back.
    await this.marking;
    for (const name of this.managed) this.warn(await this.parts.cleanup.remove(name));
  }

  private warn(error: string | undefined): void {
    if (error !== undefined) this.parts.output.report('warning', `Webhooks: ${error}`, { error }, 'bad');
  }

  /** Asks the operator to stop, and waits for it for a limited time. */
  private async end(): Promise<void> {
    const { environment, output } = this.parts;
    const operator = this.operator!;
    const patience = new AbortController();
    void sleep(environment.clock, GRACE, patience.signal).then((isOver) => {
      if (!isOver) return;
      output.report('killed', `The operator has not stopped for ${GRACE} seconds, and is ended.`, {}, 'bad');
      operator.kill();
    });
    // Nothing that has not begun is waited for: it cannot even listen while it loads.
    if (this.isStarted) operator.send({ type: 'stop' });
    else operator.kill();
    await operator.ended;
    patience.abort();
    this.operator = undefined;
  }

  private reportEnd(code: number): void {
    this.operator = undefined;
    this.isStarted = false;
    if (this.stopping.signal.aborted) return;
    const text = `The operator has ended with the code ${code}. It is restarted when a file changes.`;
    this.parts.output.report('ended', text, { code }, 'bad');
  }

  private nameOf(file: string): string {
    const name = relative(this.parts.environment.folder, file);
    return name.startsWith('..') || isAbsolute(name) ? file : name;
  }
}
