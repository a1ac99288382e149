import type { ResourcePatch } from '../objects/patches.js';
import type { Outcome, Outcomes } from './outcome.js';

/** Adds the results of handlers to the patch, under `status.{handler id}`: objects are merged, other values are set. */
export function deliverResults(outcomes: Outcomes, patch: ResourcePatch): void {
  for (const [id, outcome] of outcomes) deliverResult(id, outcome, patch);
}

/** Adds the result of one handler to the patch. */
export function deliverResult(id: string, { error, result }: Outcome, patch: ResourcePatch): void {
  if (error !== undefined || result === undefined || result === null) return;
  const present: unknown = patch.status[id];
  patch.status[id] = isMapping(result) && isMapping(present) ? { ...present, ...result } : result;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
