import { getMember, isJsonObject, jsonEqual, type JsonObject, jsonTypeName, setMember } from '../common/json.values.js';
import { MergeSchema } from './merge.schema.js';
import { PatchError } from './patch.error.js';
import { assertListOrder, describeValue, identityOf, indexOfIdentity, orderMerged } from './strategic.list.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const DIRECTIVE_NAME = /^\$(patch|retainKeys|setElementOrder|deleteFromPrimitiveList)(\/|$)/;

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the result; the target stays as it is.
 *
 * Lists with a merge key are combined by it (containers by name, ports by number, owner references by uid), finalizers as a set,
 * other lists are replaced. The directives `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` are obeyed.
 *
 * @throws PatchError with the real server's message and status code
 * @example applyStrategicMergePatch(pod, { spec: { containers: [{ name: 'main', image: 'b' }] } }, { group: '', version: 'v1', kind: 'Pod' })
 */
export function applyStrategicMergePatch(
  target: unknown,
  patch: unknown,
  schema: { readonly group: string; readonly version: string; readonly kind: string },
): unknown {
  if (patch === null) return target;
  if (!isJsonObject(patch)) {
    throw new PatchError(
      400,
      `json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeMap(isJsonObject(target) ? target : {}, patch, MergeSchema.of(schema.group, schema.version, schema.kind));
}

function mergeMap(original: JsonObject, patch: JsonObject, schema: MergeSchema): JsonObject {
  if (DIRECTIVE in patch) return replacedMap(patch);
  const result = retainedMembers(original, patch);
  const ordered = mergeOrderedLists(result, patch, schema);
  for (const [name, value] of Object.entries(patch)) {
    if (name === RETAIN_KEYS || isDirective(name, SET_ORDER) || ordered.has(name)) continue;
    if (isDirective(name, DELETE_FROM_LIST)) deleteFromList(result, fieldOf(name, DELETE_FROM_LIST), value);
    else mergeMember(result, name, value, schema);
  }
  return result;
}

function replacedMap(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new PatchError(500, `unknown patch type: ${describeValue(directive)} in map: ${describeValue(patch)}`);
}

function mergeMember(result: JsonObject, name: string, value: unknown, schema: MergeSchema): void {
  const current = getMember(result, name);
  if (value === null) {
    delete result[name];
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const replaced = schema.field(name).strategy === 'replace';
    setMember(result, name, replaced ? value : mergeMap(current, value, schema.below(name)));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    setMember(result, name, mergeList(current, value, name, schema));
  } else if (isJsonObject(value) && DIRECTIVE in value) {
    delete result[name];
  } else {
    setMember(result, name, withoutDirectives(value));
  }
}

function mergeList(original: unknown[], patch: unknown[], name: string, schema: MergeSchema): unknown[] {
  const { strategy, key } = schema.field(name);
  if (strategy !== 'merge') return patch;
  if (!original.length && !patch.length) return original;
  if (isScalarList(original, patch)) {
    const merged = [...original, ...patch].filter((item, index, all) => all.indexOf(item) === index);
    return orderMerged(merged, patch, original, undefined);
  }
  if (key === undefined) {
    throw new PatchError(500, `cannot merge lists without merge key for ${schema.below(name).type ?? name}`);
  }
  return mergeKeyedList(original, patch as JsonObject[], key, schema.below(name));
}

function mergeKeyedList(original: unknown[], patch: JsonObject[], key: string, schema: MergeSchema): unknown[] {
  let merged = original;
  let replace = false;
  const additions: JsonObject[] = [];
  for (const item of patch) {
    const directive = item[DIRECTIVE];
    if (directive === undefined) {
      additions.push(item);
    } else if (directive === 'delete') {
      const identity = identityOf(item, key);
      merged = merged.filter((element) => !jsonEqual((element as JsonObject)[key], identity));
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw new PatchError(500, 'merging lists cannot yet be specified in the patch');
    } else {
      throw new PatchError(500, `unknown patch type: ${describeValue(directive)} in map: ${describeValue(item)}`);
    }
  }
  if (replace) return additions;
  const live = merged;
  merged = [...merged];
  for (const item of additions) {
    const found = indexOfIdentity(merged, identityOf(item, key), key);
    if (found < 0) merged.push(withoutDirectives(item, true));
    else merged[found] = mergeMap(merged[found] as JsonObject, item, schema);
  }
  return orderMerged(merged, additions, live, key);
}

/** Merges the lists whose order the patch sets. @returns the names of the lists that need no further merge */
function mergeOrderedLists(result: JsonObject, patch: JsonObject, schema: MergeSchema): Set<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!isDirective(directive, SET_ORDER)) continue;
    if (!Array.isArray(order)) throw new PatchError(500, `expected a []interface {}, but received a ${goType(order)}`);
    const name = fieldOf(directive, SET_ORDER);
    const live = listOf(result, name);
    const patched = listOf(patch, name);
    const { key } = schema.field(name);
    assertListOrder(patched ?? [], order, key);
    if (live || patched) {
      const merged = live && patched ? mergeList(live, patched, name, schema) : (live ?? withoutDirectives(patched));
      setMember(result, name, orderMerged(merged as unknown[], order, live ?? [], key));
      done.add(name);
    }
  }
  return done;
}

function listOf(map: JsonObject, name: string): unknown[] | undefined {
  const list = getMember(map, name);
  if (list === undefined || Array.isArray(list)) return list;
  throw new PatchError(500, `expected a []interface {}, but received a ${goType(list)}`);
}

function deleteFromList(result: JsonObject, name: string, items: unknown): void {
  const current = getMember(result, name);
  if (Array.isArray(current) && Array.isArray(items)) {
    setMember(
      result,
      name,
      current.filter((item) => !items.includes(item)),
    );
  }
}

function retainedMembers(original: JsonObject, patch: JsonObject): JsonObject {
  if (!(RETAIN_KEYS in patch)) return { ...original };
  const retained = patch[RETAIN_KEYS];
  const badFormat = (): PatchError => new PatchError(400, 'invalid patch format of retainKeys');
  if (!Array.isArray(retained)) throw badFormat();
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || name.startsWith('$') || retained.includes(name)) continue;
    throw badFormat();
  }
  return Object.fromEntries(Object.entries(original).filter(([name]) => retained.includes(name)));
}

/**
 * Returns the part of a patch that is added where there was nothing: without nulls and directives. Maps that carry `$patch` are
 * dropped, except inside an element that is new in a merged list, where the real server ignores the directive.
 */
function withoutDirectives(value: unknown, keepMarked = false): unknown {
  const isDropped = (item: unknown): boolean => !keepMarked && isJsonObject(item) && DIRECTIVE in item;
  if (Array.isArray(value)) {
    return value.filter((item) => !isDropped(item)).map((item) => withoutDirectives(item, keepMarked));
  }
  if (!isJsonObject(value)) return value;
  const result = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === null || DIRECTIVE_NAME.test(name) || isDropped(member)) continue;
    setMember(result, name, withoutDirectives(member, keepMarked));
  }
  return result;
}

function isScalarList(...lists: unknown[][]): boolean {
  const items = lists.flat();
  if (items.some(Array.isArray)) throw new PatchError(422, 'lists of lists are not supported');
  const objects = items.filter(isJsonObject).length;
  if (objects && objects < items.length) {
    throw new PatchError(500, `list element types are not identical: ${describeValue(lists)}`);
  }
  return objects === 0;
}

function isDirective(name: string, prefix: string): boolean {
  return name.startsWith(prefix);
}

function fieldOf(name: string, prefix: string): string {
  if (name.startsWith(`${prefix}/`)) return name.slice(prefix.length + 1);
  throw new PatchError(
    400,
    `invalid patch format of ${prefix === SET_ORDER ? 'setElementOrder list' : 'primitive list'}`,
  );
}

function goType(value: unknown): string {
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return value === null ? '%!s(<nil>)' : jsonTypeName(value);
}
