// testing: the support of users' tests: contexts to call one handler with, and a whole operator on virtual time with an API server in the
// process, with records of all that it does. It is a leaf: a separate subpath of the package.
// May import: everything but other leaves.

import type { Abstract, Type } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { KubeClient } from '../client/kube.client.js';
import type { Clock } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { KopfOperator } from '../operator/kopf.operator.js';
import { ActivityTracker } from './records/activity.tracker.js';
import { CallRecorder } from './records/call.recorder.js';
import { CycleRecorder } from './records/cycle.recorder.js';
import type { EmbeddedServer } from './server/embedded.server.js';
import { EventRecorder } from './records/event.recorder.js';
import { KillableProcess } from './application/killable.process.js';
import type { KopfTestOptions, WaitOptions } from './kopf-test.options.js';
import { LogRecorder } from './records/log.recorder.js';
import { ObservedTransport, RequestRecorder, type RequestInterceptor } from './records/request.recorder.js';
import { compileApplication } from './application/test.application.js';
import { TestClient, type ObjectReference } from './server/test.client.js';
import { readManifestFiles, readManifests, type TestManifest } from './server/test-manifests.js';
import { connectRealServer, startEmbeddedServer, type TestServer } from './server/test.server.js';
import { RealTime, VirtualTime, type TestTime } from './time/test.time.js';
import { describeObject, explainUnhandled } from './checks/unhandled.object.js';
import { TestWaiting } from './time/test.waiting.js';
import { VirtualClock } from './time/virtual.clock.js';

/** One run of the application. */
interface TestRun {
  readonly module: TestingModule;
  readonly process: KillableProcess;
}

/**
 * An operator under test: the application in Nest's testing module, and an API server in the process, both on virtual time.
 *
 * Time passes only in the methods of the test, and only as much as they need: a retry after an hour takes no time. Everything that the
 * operator does is recorded, over all its restarts.
 *
 * @example
 * it('should create the claim', async () => {
 *   await using test = await KopfTest.create({ imports: [AppModule], manifests: 'k8s/crd.yaml' });
 *   const volume = await test.apply({ apiVersion: 'kopf.dev/v1', kind: 'EphemeralVolumeClaim', metadata: { name: 'a' }, spec: { size: '1G' } });
 *   await test.handled(volume);
 *   expect(await test.read({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } })).toBeDefined();
 * });
 */
export class KopfTest implements AsyncDisposable {
  readonly logs = new LogRecorder();
  readonly events = new EventRecorder();
  /** The requests that the operator has written with. */
  readonly requests = new RequestRecorder();
  /** The patches that the operator has sent. */
  readonly patches = new RequestRecorder();
  readonly calls: CallRecorder;
  private readonly activity = new ActivityTracker();
  private readonly cycles = new CycleRecorder();
  private readonly interceptors = new Set<RequestInterceptor>();
  private readonly admin: TestClient;
  private readonly waiting: TestWaiting;
  private run?: TestRun;
  private closing?: Promise<void>;

  private constructor(
    private readonly options: KopfTestOptions,
    private readonly time: TestTime,
    private readonly server: TestServer,
  ) {
    this.calls = new CallRecorder(time.clock);
    this.waiting = new TestWaiting(time, this.activity);
    this.admin = new TestClient(server, time.clock, new LogRecorder());
  }

  /**
   * Starts the API server, creates the manifests and objects, and starts the operator, which is ready then. A start that takes longer than
   * 30 seconds of real time, such as one with a startup handler that never returns, is given up, and everything is closed: the caller has
   * no test to close then, and the test runner could not end.
   *
   * @throws Error if `embedded-kube` is not installed, and no cluster is given; or if it takes too long.
   */
  static async create(options: KopfTestOptions = {}): Promise<KopfTest> {
    const { kubeconfig = process.env.KOPF_TEST_KUBECONFIG, time: kind = 'virtual' } = options;
    const time = kubeconfig || kind === 'real' ? new RealTime() : new VirtualTime(new VirtualClock());
    const server = kubeconfig
      ? await connectRealServer(kubeconfig, time.clock)
      : await startEmbeddedServer(time.clock, options.kube);
    const test = new KopfTest(options, time, server);
    try {
      await test.setUp();
    } catch (error) {
      // What has not started in time would not stop in time, either.
      test.kill();
      await test.close().catch(() => undefined);
      throw error;
    }
    return test;
  }

  /** The client of the cluster's administrator. Requests that must wait need {@link until}, so that time passes. */
  get client(): KubeClient {
    return this.admin.kube;
  }

  /** The namespace for objects that are given none: `default`, or one of the test's own on a real cluster. */
  get namespace(): string {
    return this.server.namespace;
  }

  /** @throws TypeError on a real cluster. */
  get kube(): EmbeddedServer {
    if (!this.server.embedded) throw new TypeError('The test runs on a real cluster, which has no faults to inject.');
    return this.server.embedded;
  }

  /** The time of the operator and the API server: a `VirtualClock`, unless time is real. */
  get clock(): Clock {
    return this.time.clock;
  }

  /** @throws TypeError if time is real. */
  get virtualClock(): VirtualClock {
    if (this.time instanceof VirtualTime) return this.time.clock;
    throw new TypeError('The test runs in real time.');
  }

  /** The application, as Nest's testing module. @throws Error if it does not run */
  get module(): TestingModule {
    if (!this.run) throw new Error('The operator does not run: it was not started, or was stopped or killed.');
    return this.run.module;
  }

  get operator(): KopfOperator {
    return this.get(KopfOperator);
  }

  /** Finds a provider of the application, in any module. */
  get<T>(provider: Type<T> | Abstract<T> | string | symbol): T {
    return this.module.get<T>(provider as Type<T>, { strict: false });
  }

  /** Creates objects or changes them to be as given, by server-side apply. @returns the last one, as it is stored */
  async apply(manifest: TestManifest): Promise<KubeObject> {
    const objects = readManifests(manifest);
    if (objects.length === 0) throw new TypeError('There is no object to apply.');
    for (const object of objects.slice(0, -1)) await this.until(this.admin.apply(object));
    return this.until(this.admin.apply(objects[objects.length - 1]));
  }

  /** Applies the objects of a file, or of all files of a folder. */
  async applyFile(path: string): Promise<KubeObject> {
    return this.apply(readManifestFiles(path) as readonly TestManifest[]);
  }

  /** Merges a patch into an object, as its user does. @param subresource `status`; @default the object itself */
  async patch(object: ObjectReference, patch: object, subresource?: string): Promise<KubeObject> {
    return this.until(this.admin.patch(object, patch, subresource));
  }

  /** Deletes an object. It stays as long as there are finalizers: {@link handled} waits until the operator has removed its own. */
  async delete(object: ObjectReference): Promise<void> {
    await this.until(this.admin.delete(object));
  }

  /** Reads an object as it is now. @throws ApiNotFoundError if there is none */
  read<T extends KubeObject = KubeObject>(object: ObjectReference): Promise<T> {
    return this.until(this.admin.read<T>(object));
  }

  /** Finds an object as it is now; `undefined` if there is none, or if another one has its name by now. */
  find<T extends KubeObject = KubeObject>(object: ObjectReference): Promise<T | undefined> {
    return this.until(this.admin.find<T>(object));
  }

  /**
   * Lets time pass until the operator has nothing left to do about the present state of an object: all handlers have succeeded or failed
   * for good, and what they want is stored. Of a deleted object, until it is gone or only the finalizers of others hold it.
   *
   * @returns the object as it is then; `undefined` if it is gone.
   * @throws Error with the last error of its handlers, if it takes longer than `within`.
   */
  async handled<T extends KubeObject = KubeObject>(
    object: ObjectReference,
    options: WaitOptions = {},
  ): Promise<T | undefined> {
    let found: T | undefined;
    const isHandled = async (): Promise<boolean> => {
      let total: number;
      do {
        ({ total } = this.cycles);
        found = await this.admin.find<T>(object);
      } while (found && this.cycles.hasEndedSince(total, found));
      return found === undefined || this.cycles.hasProcessed(found);
    };
    const explain = () => explainUnhandled(found ?? object, this.calls, this.cycles);
    if (!this.run) throw new Error(`${describeObject(object)} cannot be handled: the operator does not run.`);
    await this.waiting.untilTrue(isHandled, options, explain);
    await this.settled();
    return found;
  }

  /** Waits until nothing happens any more at this time: no request, no handler but daemons. It lets no virtual time pass. */
  settled(): Promise<void> {
    return this.waiting.settle();
  }

  /**
   * Lets time pass until the assertion does not throw any more; it is tried again whenever something can have happened.
   *
   * @returns what the assertion returns. Rejects with its last error.
   */
  eventually<T>(assertion: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
    return this.waiting.untilPassed(assertion, options);
  }

  /** Lets time pass until the promise is settled. */
  until<T>(promise: Promise<T>): Promise<T> {
    return this.waiting.until(promise);
  }

  /** Lets the time pass, with everything that happens in it. */
  async advance(seconds: number): Promise<void> {
    await this.time.advance(seconds);
    await this.settled();
  }

  /** Adds an interceptor, which gets all requests of the operator before the API server does. @returns a function that removes it */
  intercept(interceptor: RequestInterceptor): () => void {
    this.interceptors.add(interceptor);
    return () => void this.interceptors.delete(interceptor);
  }

  /** Starts the operator, in a new simulated process. Resolves when it is ready, unless it is not enabled. */
  async start(): Promise<void> {
    if (this.run) throw new Error('The operator runs already.');
    this.cycles.clear();
    const process = new KillableProcess(this.time.clock);
    const { options, server, activity, calls, cycles, requests, patches, events, interceptors } = this;
    const written = { activity, requests, patches, events, interceptors };
    const transport = process.connect(new ObservedTransport(server.connect(options.token), written));
    const records = { activity, calls, cycles, process };
    const module = await compileApplication({ options, server, records, logger: this.logs, transport });
    this.run = { module, process };
    await this.until(module.init());
    const operator = module.get(KopfOperator, { strict: false });
    if (operator.state !== 'idle') await this.until(operator.ready());
    await this.settled();
  }

  /** Stops the operator as a shutdown of the application does. */
  async stop(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    if (!run) return;
    try {
      await this.until(run.module.close());
    } finally {
      // Nothing of it may keep the process of the test runner from ending.
      run.process.kill();
    }
  }

  /** Ends the operator as SIGKILL does: no request of it reaches the API server any more, and none of its timers fires. */
  kill(): void {
    this.run?.process.kill();
    this.run = undefined;
    this.activity.clear();
  }

  /** Starts the operator again: after {@link kill} or, if it runs, after it was stopped. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops everything; on a real cluster, deletes what the test has left. */
  close(): Promise<void> {
    this.closing ??= this.tearDown();
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async setUp(): Promise<void> {
    const { manifests = [], objects = [], start = true } = this.options;
    await this.until(this.admin.setUp());
    const paths = typeof manifests === 'string' ? [manifests] : manifests;
    const initial = [...paths.flatMap((path) => readManifestFiles(path)), ...readManifests(objects)];
    for (const object of initial) await this.until(this.admin.apply(object));
    if (start) await this.start();
  }

  private async tearDown(): Promise<void> {
    try {
      await this.stop();
    } finally {
      try {
        await this.until(this.admin.close());
      } finally {
        await Promise.all([this.admin.disconnect(), this.until(this.server.close())]);
      }
    }
  }
}
