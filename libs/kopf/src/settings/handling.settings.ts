import {
  IsArray,
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  MaxLength,
  Min,
} from 'class-validator';
import type { DiffBaseStorage, ProgressStorage } from '../state/storages.js';

/** Configures how events wait to be processed. All durations are in seconds. */
export class QueueingSettings {
  /** Limits how many objects are processed at the same time; `null` for no limit. @default null */
  @IsOptional() @IsNumber() @Min(1) workerLimit: number | null = null;

  /** The same for the objects of each resource, so that one that comes in masses leaves room for others; `null` for all. @default null */
  @IsOptional() @IsNumber() @Min(1) workerLimitPerKind: number | null = null;

  /** Limits how long the work in progress can go on when the operator stops. @default 2 */
  @IsNumber() @Min(0) exitTimeout = 2;

  /**
   * Sets the pauses for an object after unexpected errors in a row; the last one repeats; without any, it waits for its next
   * event. @default 1, 1, 2, 3, 5, 8, …, 610
   */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorDelays: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610,
  ];
}

/** Configures how handlers are called. */
export class ExecutionSettings {
  /** Seconds until a handler is retried after an arbitrary error, unless the handler has its own `backoff`. @default 60 */
  @IsNumber() @Min(0) defaultBackoff = 60;

  /**
   * Decides about an object that changes while some of its handlers wait for their next attempts: those that have finished are
   * not called for it, as in Kopf, or they are called again, with the difference to what they have seen. With `repeat`, every
   * handler is shown the last state; each record of progress holds one or two essences of the object for that. @default
   * 'ignore'
   */
  @IsIn(['ignore', 'repeat']) lateChanges: 'ignore' | 'repeat' = 'ignore';

  /**
   * Warns of a handler that has not returned after so many seconds, as its object is not handled any further meanwhile; `null`
   * for never. It does not apply to daemons. @default 600
   */
  @IsOptional() @IsNumber() @IsPositive() slowHandlerWarning: number | null = 600;
}

/** Configures how the state of handling is kept with the objects. */
export class PersistenceSettings {
  /** The finalizer that blocks a deletion until its handlers are done. @default kopf.zalando.org/KopfFinalizerMarker */
  @IsString() @IsNotEmpty() finalizer = 'kopf.zalando.org/KopfFinalizerMarker';

  /**
   * Names that the finalizer had before: objects with one of them are held by it as by the finalizer, which takes its place with the next event
   * of the object. @default none
   */
  @IsArray() @IsString({ each: true }) @IsNotEmpty({ each: true }) formerFinalizers: readonly string[] = [];

  /** Stores the progress of handlers. @default `SmartProgressStorage` */
  @IsObject() progressStorage: ProgressStorage;

  /** Stores the last handled essence. @default `AnnotationsDiffBaseStorage` */
  @IsObject() diffbaseStorage: DiffBaseStorage;

  /** Seconds for which handlers of changes wait for the event of the operator's own patch. @default 5 */
  @IsNumber() @Min(0) consistencyTimeout = 5;

  /**
   * Decides about an object from which somebody else has removed the last handled essence: it is handled as created once more,
   * as in Kopf, or it is compared with the essence that is recalled from memory. The latter ends the loop with a controller
   * that always removes foreign annotations, and keeps one essence per object in memory. Removed progress of handlers is
   * treated alike: they are called anew, or their records are recalled. @default 'create'
   */
  @IsIn(['create', 'recall']) lostEssence: 'create' | 'recall' = 'create';
}

/** Configures how the changes that handlers want in their objects are sent. */
export class PatchingSettings {
  /**
   * Sends fields as merge patches, as Kopf does, or by server-side apply, so that `managedFields` show what the operator owns, and conflicts
   * with others are noticed. Transformations are sent as JSON patches in either case. @default 'merge'
   */
  @IsIn(['merge', 'apply']) mode: 'merge' | 'apply' = 'merge';

  /** Names the operator as the owner of the fields that it applies. Other operators on the same objects need other names. @default 'nestjs-kopf' */
  @IsString() @MaxLength(128) @IsNotEmpty() fieldManager = 'nestjs-kopf';

  /**
   * Takes over fields that others have applied. With `false`, a handler that wants to change them fails, by an error that names the fields
   * and their owners. @default true
   */
  @IsBoolean() force = true;
}

/** Configures how handlers of deletions are treated. The defaults are Kopf's behaviour. */
export class DeletionSettings {
  /**
   * Decides about an object whose deletion handler has failed for good: it is released, or it stays until somebody decides.
   * @default 'release'
   */
  @IsIn(['release', 'block']) permanentErrors: 'release' | 'block' = 'release';

  /** Calls or skips optional handlers, without retries, for objects that nothing of the operator holds. @default 'skip' */
  @IsIn(['skip', 'call']) optionalHandlers: 'skip' | 'call' = 'skip';

  /**
   * Decides about the progress of the deletion handlers when all have finished: it is removed from the object before the
   * finalizer is, or it stays there until the object is gone. If the operator dies between these two requests, handlers run
   * again only if it was removed.
   * @default 'purge'
   */
  @IsIn(['purge', 'keep']) progress: 'purge' | 'keep' = 'purge';
}

/** Configures how daemons and timers are stopped. All durations are in seconds. */
export class BackgroundSettings {
  /**
   * Sets how often an object that waits for its daemon to exit is checked, unless the daemon has its own `cancellationPolling`.
   * @default 60
   */
  @IsNumber() @Min(0) cancellationPolling = 60;

  /**
   * Limits how long a daemon that was asked to stop is waited for before anything else is done; `null` for some ticks of the
   * event loop. @default null
   */
  @IsOptional() @IsNumber() @Min(0) instantExitTimeout: number | null = null;

  /**
   * Limits for how many ticks of the event loop a daemon that was asked to stop is waited for, if there is no
   * `instantExitTimeout`; `null` for none. @default 10
   */
  @IsOptional() @IsNumber() @Min(0) instantExitZeroTimeCycles: number | null = 10;

  /** Limits how long daemons without a `cancellationTimeout`, and timers, are waited for when the operator stops. @default 5 */
  @IsNumber() @Min(0) exitTimeout = 5;

  /**
   * Decides about a timer that has failed for good: it stops for ever, as documented, or it begins anew after its interval, as
   * Kopf does. @default 'stop'
   */
  @IsIn(['stop', 'repeat']) timerFailures: 'stop' | 'repeat' = 'stop';
}
