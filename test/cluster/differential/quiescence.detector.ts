import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from 'nestjs-kopf';
import type { ProgressRecord } from 'nestjs-kopf/storages';
import type { InstanceLog } from './instance.log.js';
import type { Program } from './program.js';
import type { SideProcess } from './side.process.js';

/** Milliseconds without any sign of life after which an operator may be at rest. */
const QUIET = 100;
/** Milliseconds after which a handler that is due and was not called is not going to be. */
const OVERDUE = 2500;
/** Milliseconds without any sign of life after which the operator is taken as it is, even if it is not at rest. */
const PATIENCE = 15_000;

/** The parts of an operator that show if it is at work. */
export interface Observed {
  readonly program: Program;
  readonly log: InstanceLog;
  readonly process: SideProcess;
  /** Tells whether the operator is not to go on. */
  isOver(): boolean;
  read(): Promise<KubeObject | undefined>;
}

/**
 * Waits until the operator has nothing more to do, or until nothing happens because handlers are delayed.
 * That is so when nothing has come for a while, the process has had its turn twice since, the operator got the newest
 * state of the object, and no handler is under way by what is stored. Both sides are looked at in the same way.
 */
export async function untilQuiescent(observed: Observed, delayed = false): Promise<void> {
  const { program, log, process } = observed;
  const vain = program.settings.consistencyTimeout * 1000 + QUIET * 3;
  while (!observed.isOver() && performance.now() - log.lastActivity < PATIENCE) {
    process.check();
    const since = log.lastActivity;
    const quiet = performance.now() - Math.max(since + QUIET, log.lastVainPatch + vain);
    if (log.pending > 0 || quiet < 0) {
      await pause(log.pending > 0 ? 10 : Math.min(-quiet + 1, 50));
      continue;
    }
    await process.settle();
    await process.settle();
    const object = await observed.read();
    if (log.lastActivity !== since || log.pending > 0) continue;
    const isDelivered = log.delivered === (object?.metadata.resourceVersion ?? 'deleted');
    if (isDelivered && (!object || delayed || isFinished(object, program, since))) return;
    await pause(25);
  }
}

/** Tells whether no handler of the object is under way, or only such as should have been called long ago. */
function isFinished(object: KubeObject, { settings }: Program, since: number): boolean {
  const isOverdue = performance.now() - since > OVERDUE;
  const now = Date.now();
  const records = findRecords(object).filter(({ success, failure }) => !success && !failure);
  const finalizer = settings.finalizer ?? 'kopf.zalando.org/KopfFinalizerMarker';
  if (records.some(({ delayed }) => (delayed ? now - Date.parse(delayed) < OVERDUE : !isOverdue))) return false;
  const isBlocked = object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(finalizer);
  return !isBlocked || isOverdue;
}

/** All that looks like the progress of a handler, wherever it is stored. */
function findRecords(value: unknown): ProgressRecord[] {
  if (typeof value === 'string' && value.startsWith('{"started":')) return [JSON.parse(value) as ProgressRecord];
  if (typeof value !== 'object' || value === null) return [];
  if ('started' in value && 'retries' in value) return [value as ProgressRecord];
  return Object.values(value).flatMap(findRecords);
}
