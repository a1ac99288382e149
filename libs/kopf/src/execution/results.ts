import type { ResourcePatch } from '../objects/patches.js';
import type { Outcome, Outcomes } from './outcome.js';

/** Puts the handlers' results into the patch, under `status.{handler id}`: objects are merged, other values are set. */
export function deliverResults(outcomes: Outcomes, patch: ResourcePatch): void {
  for (const [id, outcome] of outcomes) deliverResult(id, outcome, patch);
}

/** Puts one handler's result into the patch. */
export function deliverResult(id: string, { error, result }: Outcome, patch: ResourcePatch): void {
  if (error !== undefined || result === undefined || result === null) return;
  const present: unknown = patch.status[id];
  patch.status[id] = isMapping(result) && isMapping(present) ? { ...present, ...result } : result;
}

/**
 * Makes a handler's result what JSON can hold: dates become texts, undefined members go; bigints are integers.
 *
 * @throws TypeError that names the place in the result where JSON would lose or refuse something.
 */
export function toJsonResult(value: unknown, path = 'result', ancestors: readonly object[] = []): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}`);
      return value;
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) throw new TypeError(`${path} is an integer of more than 64 bits`);
      return value;
    case 'object':
      return value === null ? null : toJsonContainer(value, path, ancestors);
    default:
      throw new TypeError(`${path} is a ${typeof value}`);
  }
}

function toJsonContainer(value: object, path: string, ancestors: readonly object[]): unknown {
  if (ancestors.includes(value)) throw new TypeError(`${path} refers to its own container`);
  if (value instanceof Map || value instanceof Set) throw new TypeError(`${path} is a ${value.constructor.name}`);
  const chain = [...ancestors, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') return toJsonResult(value.toJSON(), path, chain);
  if (Array.isArray(value)) return value.map((item, index) => toJsonResult(item, `${path}[${index}]`, chain) ?? null);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, toJsonResult(member, `${path}.${key}`, chain)]),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
