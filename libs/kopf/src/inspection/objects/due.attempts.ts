import type { InspectedProgress } from '../inspection.types.js';

/** Milliseconds after its due time from which an attempt counts as overdue, as no operator makes it. */
const OVERDUE = 60_000;

/** Milliseconds after which a call that has not returned counts as hanging. */
const TOO_LONG = 60_000;

/** Whether a call that has not returned began long ago. Times are in milliseconds since the epoch. */
export function isTooLong(since: number, now: number): boolean {
  return now - since >= TOO_LONG;
}

/** Describes a handler that is to be called again, or for the first time. Times are in milliseconds since the epoch. */
export function openStateOf(dueAt: number | undefined, now: number): InspectedProgress['state'] {
  if (dueAt === undefined) return 'begun';
  return dueAt > now ? 'waiting' : 'due';
}

/** Whether an attempt should have been made long ago. Times are in milliseconds since the epoch. */
export function isOverdue(dueAt: number | undefined, now: number): boolean {
  return dueAt !== undefined && now - dueAt > OVERDUE;
}

/** Computes the time until which these two functions return the same for an attempt. Times are in milliseconds since the epoch. */
export function findNextState(dueAt: number | undefined, now: number): number {
  if (dueAt === undefined) return Infinity;
  if (dueAt > now) return dueAt;
  return isOverdue(dueAt, now) ? Infinity : dueAt + OVERDUE;
}
