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

/** Identifies the object that daemons and timers run for. */
export interface BackgroundObject {
  readonly resource: Resource;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;
}

/** One daemon or one timer of one object, as the object and the engine see it. */
export interface ObjectRun {
  readonly handler: BackgroundHandler;
  /** The object that it runs for. */
  readonly object: BackgroundObject;
  /** The time that it waits for, or has waited for, in milliseconds of the monotonic clock. */
  readonly due: number;
  readonly isStopping: boolean;
  /** Whether it stops for no final reason: it is needed again when the pause is over, or when the object matches again. */
  readonly isRestartable: boolean;
  readonly isCancelled: boolean;
  /** Whether nothing is to be waited for: it has exited, or was abandoned. */
  readonly isSettled: boolean;
  /** Seconds until a stopping run is to be looked at again, or `undefined` if there is nothing to wait for. */
  readonly left: number | undefined;
  start(): void;
  /** Asks it to stop. Harmless if it was asked before: the termination goes on as it has begun. */
  stop(reason: StopReason): void;
  /** Advances the termination as far as its time has come, and keeps advancing it when the time comes. */
  terminate(): void;
  /** Resolves when it has exited or was abandoned. */
  settled(): Promise<void>;
  /** Called with each event of the object that the handler is still for. */
  onEvent(): void;
  /** Called when an essential change of the object was noticed. */
  onIdlingReset(): void;
}

/** The daemons and timers of one object, and what they have in common. */
export class ObjectBackground {
  /** Those that run or wait for their time, by the ids of their handlers. */
  readonly runs = new Map<string, ObjectRun>();
  /** Ids of the handlers that have ended on their own, and are not started again. */
  foreverStopped?: Set<string>;
  /** Tells whether the finalizer is for daemons and timers only, so that nothing needs it when all of them have ended. */
  holdsAlone = false;
  /** Counts the decisions on what is to run, so that one that was put off is known to be outdated. */
  decisions = 0;
  /** Counts what is started again as soon as it has exited, so that nothing runs for a moment. */
  restarts = 0;
  /** Tells when the object's essence was changed last, in milliseconds of the monotonic clock. */
  idleResetAt: number;
  /** Settled when the patch is answered that is being sent; absent if there is none. */
  sending?: Promise<unknown>;
  /** The object as the last patches have left it; absent if nobody wants to know. */
  ownPatches?: KubeObject[];
  private readonly resource: Resource;
  private readonly memory: CauseOrigin['memory'];
  private readonly indices: IndicesByName;
  private readonly logger: KopfLogger;
  private liveBody?: LiveBody;
  private hold?: Waiters;
  private source?: KubeObject;
  /** The state that a patch has left, until the watch has come as far. */
  private patched?: KubeObject;
  private identified?: KubeObject;

  constructor(origin: CauseOrigin, now: number) {
    this.resource = origin.resource;
    this.memory = origin.memory;
    this.indices = origin.indices;
    this.logger = origin.logger;
    this.idleResetAt = now;
  }

  /** Tells whether the object needs it: something runs, is to run again, or must not. */
  get isInUse(): boolean {
    return this.runs.size > 0 || this.restarts > 0 || this.foreverStopped !== undefined;
  }

  /** Whether the object has appeared while it was watched. */
  get isNew(): boolean {
    return this.memory.noticedByListing === false;
  }

  /** Whether the object is known, as anything runs for it. */
  get hasBody(): boolean {
    return this.source !== undefined;
  }

  /** The newest state of the object; known as long as anything runs. */
  get body(): KubeObject {
    if (!this.source) throw new Error('The object is not known, as nothing runs for it.');
    return this.source;
  }

  /**
   * The newest state of the object, that of its last patch included: with an older one, a transformation of a patch could seem to have nothing
   * left to change.
   */
  get newest(): KubeObject {
    return this.patched ?? this.body;
  }

  /** Holds the parts of the object that never change. */
  private get identity(): KubeObject {
    if (!this.identified) {
      const { apiVersion, kind, metadata } = this.body;
      const { name, namespace, uid } = metadata;
      this.identified = { apiVersion, kind, metadata: { name, namespace, uid } };
    }
    return this.identified;
  }

  /** Identifies the object; known as long as anything runs. */
  get object(): BackgroundObject {
    const { resource, identity } = this;
    return { resource, metadata: identity.metadata };
  }

  get live(): LiveBody {
    return (this.liveBody ??= new LiveBody(this.body));
  }

  replaceBody(body: KubeObject): void {
    this.source = body;
    if (this.patched && !isNewer(this.patched, body)) this.patched = undefined;
    this.liveBody?.replace(body);
  }

  /** Records the state that a patch has left. */
  notePatched(body: KubeObject): void {
    this.ownPatches?.push(body);
    if (this.source && isNewer(body, this.newest)) this.patched = body;
  }

  /** Records an essential change. */
  resetIdling(now: number): void {
    this.idleResetAt = now;
    for (const run of this.runs.values()) run.onIdlingReset();
  }

  /** Makes a cause with the newest state of the object. */
  createCause(unsent?: UnsentPatch, body = this.body): SpawningCause {
    const { resource, memory, indices, logger } = this;
    return new SpawningCause({ resource, body, patch: new ResourcePatch(unsent), memory, indices, logger });
  }

  /**
   * Creates the cause of an attempt, which can go on for as long as the object exists: so it does not hold a state of the
   * object.
   */
  createAttemptCause(unsent?: UnsentPatch): SpawningCause {
    return this.createCause(unsent, this.identity);
  }

  /**
   * Holds back patches until {@link releasePatches}: those of what is just being started would outdate the version
   * that the finalizer is about to be added to.
   */
  holdPatches(): void {
    this.hold ??= new Waiters();
  }

  releasePatches(): void {
    this.hold?.release();
    this.hold = undefined;
  }

  /** Resolves when patches can be sent. */
  async untilReleased(): Promise<void> {
    await this.hold?.join();
  }

  add(run: ObjectRun): void {
    this.runs.set(run.handler.id, run);
  }

  /** Forgets a run that has exited. */
  remove(run: ObjectRun, forEver: boolean): void {
    const { id } = run.handler;
    this.runs.delete(id);
    if (forEver) (this.foreverStopped ??= new Set()).add(id);
    if (this.runs.size > 0) return;
    this.source = undefined;
    this.patched = undefined;
    this.liveBody = undefined;
    this.identified = undefined;
  }
}

/** Whether a state is newer than another one; `false` as well if their versions cannot be compared. */
function isNewer({ metadata }: KubeObject, known: KubeObject): boolean {
  const [version = '', other = ''] = [metadata.resourceVersion, known.metadata.resourceVersion];
  return metadata.uid === known.metadata.uid && isOlderVersion(other, version) && !isOlderVersion(version, other);
}
