import type { Essence } from '../objects/essences.js';
import type { Addition, ProgressRecord } from './storages.js';
import { parseJson } from 'kube-common';
import { createHashedEssence } from './essence-hashes.js';
import { encodeState } from './state-encoding.js';

/** A record with all members that Kopf knows. */
export type CompleteRecord = Required<Omit<ProgressRecord, Addition>> & Pick<ProgressRecord, Addition>;

/** Returns a record with all its members in Kopf's order, `null` for absent ones, and the ids of sub-handlers sorted, without `null`. */
export function completeRecord(record: ProgressRecord): CompleteRecord {
  return {
    started: record.started ?? null,
    stopped: record.stopped ?? null,
    delayed: record.delayed ?? null,
    purpose: record.purpose ?? null,
    retries: record.retries ?? null,
    success: record.success ?? null,
    failure: record.failure ?? null,
    message: record.message ?? null,
    subrefs: record.subrefs?.length ? [...record.subrefs].sort() : null,
    // Kopf does not know these members, so they are written only if they are in use.
    ...(record.handled !== undefined && { handled: record.handled }),
    ...(record.tried !== undefined && { tried: record.tried }),
    ...(record.traceparent !== undefined && { traceparent: record.traceparent }),
  };
}

/** Whether the record contains essences, which can be large. */
export function hasEssences({ handled, tried }: ProgressRecord): boolean {
  return typeof handled === 'string' || typeof tried === 'string';
}

/** Replaces the essences of a record that do not fit by hashes: changes are still detected, but not which ones. */
export function hashEssences({ handled, tried }: ProgressRecord): Pick<ProgressRecord, 'handled' | 'tried'> {
  return { handled: hashEssence(handled), tried: hashEssence(tried) };
}

function hashEssence(text: string | null | undefined): string | null {
  return typeof text === 'string' ? encodeState(createHashedEssence(parseJson(text) as Essence)) : null;
}
