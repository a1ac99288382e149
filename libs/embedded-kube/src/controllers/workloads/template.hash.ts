import { mapping, sortedJson } from '../../common/json.values.js';

/** The alphabet of generated names: without vowels, so that no words come about. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a short text for a template: equal templates give equal texts; a collision count gives another one. */
export function templateHash(template: unknown, collisionCount?: number): string {
  const text = sortedJson(template) + (collisionCount === undefined ? '' : `#${collisionCount}`);
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** Returns a template without the label that its ReplicaSet has added, for comparisons. */
export function withoutHash(template: unknown, label: string): object {
  const { metadata, ...rest } = mapping(template);
  const { labels, creationTimestamp: _, ...others } = mapping(metadata);
  const kept = Object.entries(mapping(labels)).filter(([key]) => key !== label);
  return { ...rest, metadata: { ...others, ...(kept.length && { labels: Object.fromEntries(kept) }) } };
}
