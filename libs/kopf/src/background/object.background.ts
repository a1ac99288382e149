import type { IndicesByName } from '../contexts/indices.interface.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { isOlderVersion, type KubeObject, type ObjectMeta } from '../objects/kube-object.js';
import type { Resource } from '../resources/resources.js';
import { type CauseOrigin, SpawningCause } from '../contexts/object.causes.js';
import { LiveBody } from '../objects/live-views.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import { ResourcePatch } from '../objects/patches.js';
import { Waiters } from 'kube-common';
import type { BackgroundHandler } from '../registry/handler.js';
import type { StopReason } from '../contexts/stop-flag.js';
import type { ProgressRecord } from '../state/storages.js';

/** The identity of the object that daemons and timers run for. */
export interface BackgroundObject {
  readonly resource: Resource;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;
}

/** One daemon or one timer of one object, as the object and the engine see it. */
export interface ObjectRun {
  readonly handler: BackgroundHandler;
  /** The object that the run is for. */
  readonly object: BackgroundObject;
  /** The time that the run waits for, or has waited for, in milliseconds of the monotonic clock. */
  readonly due: number;
  readonly isStopping: boolean;
  /** Whether the run stops only for a time: it is started again when the pause is over, or when the object matches again. */
  readonly isRestartable: boolean;
  readonly isCancelled: boolean;
  /** Whether nothing waits for the run: it has exited or was abandoned. */
  readonly isSettled: boolean;
  /** Seconds until the termination has to be checked again; `undefined` if there is nothing to wait for. */
  readonly left: number | undefined;
  start(): void;
  /** Asks the run to stop. If it was asked before, its termination continues unchanged. */
  stop(reason: StopReason): void;
  /** Advances the termination to the stage that is due, and schedules the next stage. */
  terminate(): void;
  /** Resolves when the run has exited or was abandoned. */
  settled(): Promise<void>;
  /** Called with each event of the object while the handler matches it. */
  onEvent(): void;
  /** Called after an essential change of the object. */
  onIdlingReset(): void;
}

/** The last call of a daemon or a timer, which has failed. */
export interface FailedCall {
  readonly kind: 'daemon' | 'timer';
  readonly record: ProgressRecord;
}

/** The daemons and timers of one object, and the state that they share. */
export class ObjectBackground {
  /** The runs that have not exited, by the ids of their handlers. */
  readonly runs = new Map<string, ObjectRun>();
  /** The ids of handlers that have ended by themselves and are not started again. */
  foreverStopped?: Set<string>;
  /**
   * The daemons and timers whose last call has failed, by the ids of their handlers; absent if there are none. The map is replaced and never
   * changed.
   */
  failures?: ReadonlyMap<string, FailedCall>;
  /** Whether the finalizer is needed for daemons and timers only, so that it is removed when all of them have ended. */
  holdsAlone = false;
  /** The number of decisions about which handlers run, by which a postponed decision is recognised as outdated. */
  decisions = 0;
  /**
   * The number of pending restarts: handlers that are started again as soon as they have exited. Without them, the object would seem unused
   * in between.
   */
  restarts = 0;
  /** The time of the object's last essential change, in milliseconds of the monotonic clock. */
  idleResetAt: number;
  /** The patch that is being sent, settled with its response; absent if there is none. */
  sending?: Promise<unknown>;
  /** The states of the object after the operator's own patches; absent if they are not collected. */
  ownPatches?: KubeObject[];
  private readonly resource: Resource;
  private readonly memory: CauseOrigin['memory'];
  private readonly indices: IndicesByName;
  private readonly logger: KopfLogger;
  private liveBody?: LiveBody;
  private hold?: Waiters;
  private watched?: KubeObject;
  /** The state of the object after the last own patch, until the watch has shown it. */
  private patched?: KubeObject;
  private identified?: KubeObject;

  constructor(origin: CauseOrigin, now: number) {
    this.resource = origin.resource;
    this.memory = origin.memory;
    this.indices = origin.indices;
    this.logger = origin.logger;
    this.idleResetAt = now;
  }

  /** Whether this state of the background must be kept: a handler runs, is to be restarted, or must not be started again. */
  get isInUse(): boolean {
    return this.runs.size > 0 || this.restarts > 0 || this.foreverStopped !== undefined;
  }

  /** Whether the object was created while its resource was watched. */
  get isNew(): boolean {
    return this.memory.noticedByListing === false;
  }

  /** Whether a state of the object is known, as it is while any handler runs. */
  get hasBody(): boolean {
    return this.watched !== undefined;
  }

  /** The newest watched state of the object; known while any handler runs. */
  get body(): KubeObject {
    if (!this.watched) throw new Error('The object is not known, as nothing runs for it.');
    return this.watched;
  }

  /**
   * The newest state of the object, including that after its last own patch: compared with an older state, a transformation could seem to
   * have nothing left to change.
   */
  get newest(): KubeObject {
    return this.patched ?? this.body;
  }

  /** The parts of the object that never change. */
  private get identity(): KubeObject {
    if (!this.identified) {
      const { apiVersion, kind, metadata } = this.body;
      const { name, namespace, uid } = metadata;
      this.identified = { apiVersion, kind, metadata: { name, namespace, uid } };
    }
    return this.identified;
  }

  /** The identity of the object; known while any handler runs. */
  get object(): BackgroundObject {
    const { resource, identity } = this;
    return { resource, metadata: identity.metadata };
  }

  get live(): LiveBody {
    return (this.liveBody ??= new LiveBody(this.body));
  }

  replaceBody(body: KubeObject): void {
    this.watched = body;
    if (this.patched && !isNewer(this.patched, body)) this.patched = undefined;
    this.liveBody?.replace(body);
  }

  /** Records the state of the object after an own patch. */
  recordPatched(body: KubeObject): void {
    this.ownPatches?.push(body);
    if (this.watched && isNewer(body, this.newest)) this.patched = body;
  }

  /** Restarts the idle times, after an essential change of the object. */
  resetIdling(now: number): void {
    this.idleResetAt = now;
    for (const run of this.runs.values()) run.onIdlingReset();
  }

  /** Creates a cause with the newest state of the object. */
  createCause(unsent?: UnsentPatch, body = this.body): SpawningCause {
    const { resource, memory, indices, logger } = this;
    return new SpawningCause({ resource, body, patch: new ResourcePatch(unsent), memory, indices, logger });
  }

  /** Creates the cause of an attempt. It does not refer to a state of the object, as the attempt can last as long as the object exists. */
  createAttemptCause(unsent?: UnsentPatch): SpawningCause {
    return this.createCause(unsent, this.identity);
  }

  /**
   * Holds back patches until {@link releasePatches}: patches of handlers that are just being started would outdate the resource version
   * that the finalizer is about to be added to.
   */
  holdPatches(): void {
    this.hold ??= new Waiters();
  }

  releasePatches(): void {
    this.hold?.release();
    this.hold = undefined;
  }

  /** Resolves when patches may be sent. */
  async untilReleased(): Promise<void> {
    await this.hold?.join();
  }

  add(run: ObjectRun): void {
    this.runs.set(run.handler.id, run);
  }

  /** Records how the last call of a daemon or a timer has failed, or with `undefined` that it has not, or is being called again. */
  recordFailure({ id, kind }: BackgroundHandler, record: ProgressRecord | undefined): void {
    if (kind !== 'daemon' && kind !== 'timer') return;
    if (!record && !this.failures?.has(id)) return;
    const failures = new Map(this.failures);
    if (record) failures.set(id, { kind, record });
    else failures.delete(id);
    this.failures = failures.size > 0 ? failures : undefined;
  }

  /** Removes a run that has exited. */
  remove(run: ObjectRun, forGood: boolean): void {
    const { id } = run.handler;
    this.runs.delete(id);
    if (forGood) (this.foreverStopped ??= new Set()).add(id);
    else this.recordFailure(run.handler, undefined);
    if (this.runs.size > 0) return;
    this.watched = undefined;
    this.patched = undefined;
    this.liveBody = undefined;
    this.identified = undefined;
  }
}

/** Whether a state is newer than another one. `false` if their versions cannot be compared. */
function isNewer({ metadata }: KubeObject, known: KubeObject): boolean {
  const [version = '', other = ''] = [metadata.resourceVersion, known.metadata.resourceVersion];
  return metadata.uid === known.metadata.uid && isOlderVersion(other, version) && !isOlderVersion(version, other);
}
