import { ActivityHandlerContext } from '../../contexts/activity-handler.context.js';
import { AdmissionCause } from '../../contexts/admission.cause.js';
import { exposeMembers } from '../../contexts/context.members.js';
import { AdmissionHandlerContext } from '../../contexts/admission-handler.context.js';
import { ChangeHandlerContext } from '../../contexts/change-handler.context.js';
import { ChangingCause } from '../../contexts/changing.cause.js';
import { Reason } from '../../contexts/reason.js';
import type {
  ActivityContext,
  AdmissionContext,
  ChangeContext,
  DaemonContext,
  EventContext,
  IndexContext,
  LoginContext,
  TimerContext,
} from '../../contexts/contexts.interface.js';
import { DaemonHandlerContext } from '../../contexts/daemon-handler.context.js';
import { IndexingCause, SpawningCause, WatchingCause } from '../../contexts/object.causes.js';
import { EventHandlerContext, IndexHandlerContext } from '../../contexts/object-handler.context.js';
import { StopReason } from '../../contexts/stop-flag.js';
import { diff } from '../../objects/diffs.js';
import { parseFieldPath } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { LiveBody } from '../../objects/live-views.js';
import { createSettings } from '../../operator/settings.factory.js';
import { AnnotationsDiffBaseStorage } from '../../state/annotations-diffbase.storage.js';
import { DaemonStopper } from '../../background/daemon.stopper.js';
import { TimerHeap } from 'kube-common';
import { ContextBench, type Recorded } from './context.bench.js';
import type {
  ActivityContextOptions,
  AdmissionContextOptions,
  ChangeContextOptions,
  DaemonContextOptions,
  EventContextOptions,
  LoginContextOptions,
  TestContextOptions,
  TestObjectOptions,
} from './test-context.options.js';
import { createEarlierObject } from './test.object.js';

/** The controls by which a test stops a daemon or a timer from outside. */
export interface BackgroundControls {
  /** Asks the daemon to stop, and aborts its `signal`. @param reason flags of `StopReason`. @default RESOURCE_DELETED */
  stop(reason?: StopReason): void;
  /** Changes the object: the live views of the context show the given parts, and all others as they were. */
  update(parts: TestObjectOptions): void;
}

/**
 * Makes the context of a handler of changes: `@OnCreate`, `@OnUpdate`, `@OnDelete`, `@OnResume`, `@OnField`.
 *
 * @example
 * const context = changeContext<EvcSpec>({ spec: { size: '2G' }, old: { spec: { size: '1G' } } });
 * await callHandler(context, () => operator.resize(context));
 * expect(context.patch).toBePatchedWith({ status: { size: '2G' } });
 */
export function changeContext<Spec = any, Status = any, Memo = any>(
  options: ChangeContextOptions<Spec, Status, Memo> = {},
): Recorded<ChangeContext<Spec, Status, Memo>> {
  const { old, field, reason = old ? Reason.UPDATE : Reason.CREATE } = options;
  const deletion =
    reason === Reason.DELETE ? { deletionTimestamp: '2020-12-31T23:59:59Z', ...options.metadata } : undefined;
  const bench = new ContextBench(deletion ? { ...options, metadata: deletion } : options);
  const path = field === undefined ? undefined : parseFieldPath(field);
  const essenceOf = (body: KubeObject) => new AnnotationsDiffBaseStorage().build(body, path ? [path] : []);
  const after = essenceOf(bench.body);
  const before = reason === Reason.CREATE ? undefined : essenceOf(createEarlierObject(bench.body, old ?? {}));
  const change = { reason, initial: reason === Reason.RESUME, old: before, new: after, diff: diff(before, after) };
  const whole = new ChangingCause(bench, change);
  const cause = path ? whole.reducedTo(path) : whole;
  const subhandlers = bench.subhandlers((child) =>
    exposeMembers(new ChangeHandlerContext(cause, bench.invocation, bench.events, child)),
  );
  return bench.record(new ChangeHandlerContext(cause, bench.invocation, bench.events, subhandlers));
}

/** Makes the context of an `@OnEvent` handler. */
export function eventContext<Spec = any, Status = any, Memo = any>(
  options: EventContextOptions<Spec, Status, Memo> = {},
): Recorded<EventContext<Spec, Status, Memo>> {
  const bench = new ContextBench(options);
  const { type = 'MODIFIED' } = options;
  const cause = new WatchingCause(bench, { type, object: bench.body });
  return bench.record(new EventHandlerContext(cause, bench.invocation, bench.events));
}

/** Makes the context of an `@Index` handler. */
export function indexContext<Spec = any, Status = any, Memo = any>(
  options: TestContextOptions<Spec, Status, Memo> = {},
): Recorded<IndexContext<Spec, Status, Memo>> {
  const bench = new ContextBench(options);
  return bench.record(new IndexHandlerContext(new IndexingCause(bench), bench.invocation, bench.events));
}

/**
 * Makes the context of a `@Daemon` handler, which tests stop by `stop()` or by the option `stopAfter`.
 *
 * @example
 * const context = daemonContext({ spec: { url: 'http://web' }, stopAfter: 60 });
 * await callHandler(context, () => operator.monitor(context));
 */
export function daemonContext<Spec = any, Status = any, Memo = any>(
  options: DaemonContextOptions<Spec, Status, Memo> = {},
): Recorded<DaemonContext<Spec, Status, Memo>> & BackgroundControls {
  const bench = new ContextBench(options, (clock) => new DaemonStopper(new TimerHeap(clock)));
  const { stopper } = bench;
  const live = new LiveBody(bench.body);
  const stop = (reason = StopReason.RESOURCE_DELETED): void => {
    stopper!.set(reason);
    stopper!.cancel();
  };
  if (options.stopAfter !== undefined) bench.clock.setTimer(stop, options.stopAfter * 1000);
  const update = (parts: TestObjectOptions): void => live.replace(createEarlierObject(live.current, parts));
  const cause = new SpawningCause(bench);
  const context: DaemonContext = new DaemonHandlerContext(cause, bench.invocation, bench.events, live, stopper!);
  return Object.assign(bench.record(context), { stop, update });
}

/** Makes the context of a `@Timer` handler: the same as a daemon's. */
export function timerContext<Spec = any, Status = any, Memo = any>(
  options: DaemonContextOptions<Spec, Status, Memo> = {},
): Recorded<TimerContext<Spec, Status, Memo>> & BackgroundControls {
  return daemonContext(options);
}

/**
 * Makes the context of a `@Validate` or `@Mutate` handler.
 *
 * @example
 * const context = admissionContext({ spec: { size: '-1' } });
 * await expect(callHandler(context, () => operator.check(context))).rejects.toThrow(AdmissionError);
 */
export function admissionContext<Spec = any, Status = any, Memo = any>(
  options: AdmissionContextOptions<Spec, Status, Memo> = {},
): Recorded<AdmissionContext<Spec, Status, Memo>> {
  const bench = new ContextBench(options);
  const { old, operation = old ? 'UPDATE' : 'CREATE', subresource, dryrun, userinfo, headers = {}, sslpeer } = options;
  const { body, resource } = bench;
  const { group, version, kind, plural } = resource;
  const request = {
    uid: 'uid-of-request',
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    subResource: subresource,
    name: body.metadata.name,
    namespace: body.metadata.namespace,
    operation,
    userInfo: userinfo,
    object: operation === 'DELETE' ? null : body,
    oldObject: operation === 'CREATE' ? null : createEarlierObject(body, old ?? {}),
    dryRun: dryrun,
  };
  const cause = new AdmissionCause(bench, request, { headers, sslpeer });
  return bench.record(new AdmissionHandlerContext(cause, bench.invocation, bench.events));
}

/** Makes the context of an activity: `@OnStartup`, `@OnCleanup`, `@OnProbe`; for `@OnLogin` see {@link loginContext}. */
export function activityContext<Memo = any>(
  options: ActivityContextOptions<Memo> = {},
): Recorded<ActivityContext<Memo>> {
  const { memo = {}, settings = {}, ...invocation } = options;
  const bench = new ContextBench(invocation);
  const { clock, indices } = bench;
  const environment = { settings: createSettings(settings), memo, indices, clock };
  return bench.record(new ActivityHandlerContext(bench.invocation, environment));
}

/**
 * Makes the context of an `@OnLogin` handler. The built-in logins find what the options say, and nothing of the machine that the test runs on.
 *
 * @example
 * const context = loginContext({ kubeConfig: { server: 'https://host', token: 'abc' } });
 * expect(await callHandler(context, () => operator.login(context))).toMatchObject({ server: 'https://host' });
 */
export function loginContext<Memo = any>(options: LoginContextOptions<Memo> = {}): Recorded<LoginContext<Memo>> {
  const { serviceAccount, kubeConfig, ...others } = options;
  const logins: Pick<LoginContext, 'withServiceAccount' | 'withKubeConfig'> = {
    withServiceAccount: async () => serviceAccount,
    withKubeConfig: async (paths) => (typeof kubeConfig === 'function' ? kubeConfig(paths) : kubeConfig),
  };
  return Object.assign(activityContext<Memo>(others), logins);
}
