import { types } from 'node:util';

/**
 * Finds where texts can be reached from a value, as deep as there is anything: what `util.inspect` shows at some depth,
 * and what a debugger, a heap of logs, or a serialiser would find.
 *
 * @returns the paths of the places, without those through the same object again.
 */
export function findReachable(root: unknown, texts: readonly string[]): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const queue: [path: string, value: unknown][] = [['', root]];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [path, value] = next;
    if (typeof value === 'string' && texts.some((text) => value.includes(text))) found.push(path);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    queue.push(...membersOf(value).map(([key, member]) => [`${path}.${key}`, member] as [string, unknown]));
  }
  return found;
}

function membersOf(value: object): [string, unknown][] {
  if (Buffer.isBuffer(value)) return [['buffer', value.toString('latin1')]];
  if (ArrayBuffer.isView(value)) return [];
  const members: [string, unknown][] = [];
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    // Getters are not called, neither here nor by those who print.
    if (descriptor && 'value' in descriptor) members.push([String(key), descriptor.value]);
  }
  if (types.isMap(value)) for (const [key, member] of value) members.push(['<value>', member], ['<key>', key]);
  if (types.isSet(value)) for (const member of value) members.push(['<member>', member]);
  // Nest keeps providers in a weak map, whose entries `showHidden` shows.
  if (value.constructor?.name === 'InstanceWrapper') members.push(['instance', Reflect.get(value, 'instance')]);
  return members;
}
