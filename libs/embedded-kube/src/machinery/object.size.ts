import { stringifyJson } from 'kube-common';
import { StatusError } from '../errors/status.error.js';
import type { KubeObject } from '../resources/kube-object.js';

/** The limit of an object in JSON, in bytes: that of etcd, on which the real server stores it. */
const LIMIT = 1.5 * 1024 * 1024;
/** The number of characters below which an object is small enough in any case, as one takes at most three bytes; syntax counts little. */
const CERTAIN = LIMIT / 4;

/** @throws StatusError 500, as on the real server, if an object is too large to be stored */
export function assertStorable(object: KubeObject): void {
  if (characters(object, CERTAIN) <= 0 && Buffer.byteLength(stringifyJson(object)) > LIMIT) {
    throw new StatusError(500, '', 'etcdserver: request is too large');
  }
}

/** Takes the characters of all texts from a number, and some for what is around them; stops below 0. */
function characters(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 4;
  if (typeof value !== 'object' || value === null) return left - 8;
  let rest = left;
  // A loop over the keys of objects and lists alike would take four times as long on Node.js 20, and twenty times on 24.
  if (Array.isArray(value)) {
    for (const item of value) {
      rest = characters(item, rest);
      if (rest <= 0) return rest;
    }
    return rest;
  }
  for (const key in value) {
    rest = characters((value as Record<string, unknown>)[key], rest - key.length - 4);
    if (rest <= 0) return rest;
  }
  return rest;
}
