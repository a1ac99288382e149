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

/** The settings of the queues of events. All durations are in seconds. */
export class QueueingSettings {
  /** The most objects that are processed at the same time; `null` for no limit. @default null */
  @IsOptional() @IsNumber() @Min(1) workerLimit: number | null = null;

  /**
   * The most objects of each resource that are processed at the same time, so that a resource with many objects leaves room for others;
   * `null` for no limit.
   * @default null
   */
  @IsOptional() @IsNumber() @Min(1) workerLimitPerKind: number | null = null;

  /** How long the events in progress are waited for when the operator stops. @default 2 */
  @IsNumber() @Min(0) exitTimeout = 2;

  /**
   * The pauses of an object after consecutive unexpected errors; the last one repeats. With an empty list, the object waits for its next
   * event.
   * @default 1, 1, 2, 3, 5, 8, …, 610
   */
  @IsArray() @IsNumber({}, { each: true }) @Min(0, { each: true }) errorDelays: readonly number[] = [
    1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610,
  ];
}

/** The settings of calling handlers. */
export class ExecutionSettings {
  /** Seconds until a handler is retried after an arbitrary error, unless the handler has its own `backoff`. @default 60 */
  @IsNumber() @Min(0) defaultBackoff = 60;

  /**
   * What happens when an object changes while some of its handlers wait for their next attempts. `ignore`: finished handlers are not called
   * for the change, as in Kopf. `repeat`: they are called again, with the difference from the state that they have handled; so every
   * handler is called with the last state, and each record of progress contains one or two essences of the object.
   * @default 'ignore'
   */
  @IsIn(['ignore', 'repeat']) lateChanges: 'ignore' | 'repeat' = 'ignore';

  /**
   * Seconds after which a warning is logged about a handler that has not returned, as its object is not handled any further; `null` for
   * never. Daemons are exempt.
   * @default 600
   */
  @IsOptional() @IsNumber() @IsPositive() slowHandlerWarning: number | null = 600;
}

/** The settings of the state that is stored on objects. */
export class PersistenceSettings {
  /** The finalizer that delays the deletion of an object until its handlers are done. @default kopf.zalando.org/KopfFinalizerMarker */
  @IsString() @IsNotEmpty() finalizer = 'kopf.zalando.org/KopfFinalizerMarker';

  /**
   * Former names of the finalizer. An object with one of them is held by it, too; with the next event of the object, the finalizer replaces
   * it.
   * @default none
   */
  @IsArray() @IsString({ each: true }) @IsNotEmpty({ each: true }) formerFinalizers: readonly string[] = [];

  /** The storage of the progress of handlers. @default `SmartProgressStorage` */
  @IsObject() progressStorage: ProgressStorage;

  /** The storage of the last handled essence. @default `AnnotationsDiffBaseStorage` */
  @IsObject() diffbaseStorage: DiffBaseStorage;

  /** Seconds for which handlers of changes wait for the event of the operator's own patch. @default 5 */
  @IsNumber() @Min(0) consistencyTimeout = 5;

  /**
   * What happens after another client has removed the last handled essence from an object. `create`: the object is handled as created, as
   * in Kopf. `recall`: the essence is recalled from memory; this ends the loop with a controller that always removes foreign annotations,
   * and keeps one essence of each object in memory. Removed progress of handlers is treated in the same way: with `create`, the handlers
   * are called again; with `recall`, their records are recalled.
   * @default 'create'
   */
  @IsIn(['create', 'recall']) lostEssence: 'create' | 'recall' = 'create';
}

/** The settings of the patches that handlers want. */
export class PatchingSettings {
  /**
   * How fields are sent: as merge patches, as in Kopf, or by server-side apply, so that `managedFields` show which fields belong to the
   * operator, and conflicts with other owners are detected. Transformations are sent as JSON patches in either case.
   * @default 'merge'
   */
  @IsIn(['merge', 'apply']) mode: 'merge' | 'apply' = 'merge';

  /**
   * The name of the operator as the owner of fields that it applies. Other operators of the same objects need other names.
   * @default 'nestjs-kopf'
   */
  @IsString() @MaxLength(128) @IsNotEmpty() fieldManager = 'nestjs-kopf';

  /**
   * Whether the operator takes over fields that others have applied. With `false`, a handler that changes such a field fails, with an error
   * that names the fields and their owners.
   * @default true
   */
  @IsBoolean() force = true;
}

/** The settings of deletion handlers. The defaults are the behaviour of Kopf. */
export class DeletionSettings {
  /**
   * What happens to an object after its deletion handler has failed permanently. `release`: its finalizer is removed. `block`: it stays
   * until a user intervenes.
   * @default 'release'
   */
  @IsIn(['release', 'block']) permanentErrors: 'release' | 'block' = 'release';

  /** Whether optional deletion handlers are called, without retries, for objects without the finalizer. @default 'skip' */
  @IsIn(['skip', 'call']) optionalHandlers: 'skip' | 'call' = 'skip';

  /**
   * What happens to the progress of the deletion handlers when all have finished. `purge`: it is removed before the finalizer is. `keep`:
   * it stays on the object until the object is gone. If the operator is killed between these two requests, the handlers are called again
   * only after `purge`.
   * @default 'purge'
   */
  @IsIn(['purge', 'keep']) progress: 'purge' | 'keep' = 'purge';
}

/** The settings of daemons and timers. All durations are in seconds. */
export class BackgroundSettings {
  /**
   * How often an object that waits for its daemon to exit is checked, unless the daemon has a `cancellationPolling`.
   * @default 60
   */
  @IsNumber() @Min(0) cancellationPolling = 60;

  /**
   * How long the handling of an object waits for a daemon that was asked to stop; `null` for a few ticks of the event loop.
   * @default null
   */
  @IsOptional() @IsNumber() @Min(0) instantExitTimeout: number | null = null;

  /**
   * How many ticks of the event loop the handling of an object waits for a daemon that was asked to stop, if there is no
   * `instantExitTimeout`; `null` for none.
   * @default 10
   */
  @IsOptional() @IsNumber() @Min(0) instantExitZeroTimeCycles: number | null = 10;

  /** How long daemons without a `cancellationTimeout`, and timers, are waited for when the operator stops. @default 5 */
  @IsNumber() @Min(0) exitTimeout = 5;

  /**
   * What happens to a timer that has failed permanently. `stop`: it is never called again, as Kopf documents. `repeat`: it is called again
   * after its interval, as Kopf does.
   * @default 'stop'
   */
  @IsIn(['stop', 'repeat']) timerFailures: 'stop' | 'repeat' = 'stop';
}
