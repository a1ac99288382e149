import { isJsonObject, isNumeric, type JsonObject } from '../common/json.values.js';
import { StatusError } from '../errors/status.error.js';
import { badRequest } from '../errors/status.errors.js';
import { goValue } from '../common/go-value.js';
import { describeValue } from '../patching/strategic.list.js';
import { itemElement } from './list.items.js';
import { metadataOf } from './managed.fields.js';
import type { ManagedWrite } from './managed.write.js';
import { type FieldPath, memberElement, type PathElement, printElement, printPath } from './path.element.js';
import { formOf, type ListType, memberType, type ValueType } from './value.type.js';

/**
 * Checks a configuration, and returns it.
 *
 * @throws StatusError 400 if it is of another kind or has `managedFields`, 500 if it does not fit the schema
 */
export function checkedConfiguration(configuration: unknown, write: ManagedWrite, type: ValueType): JsonObject {
  const { apiVersion = '', kind = '' } = isJsonObject(configuration) ? configuration : {};
  if (!isJsonObject(configuration) || apiVersion !== write.apiVersion || kind !== write.resource.kind) {
    throw badRequest(`invalid object type: ${groupVersionKind(apiVersion, kind)}`);
  }
  const { managedFields } = metadataOf(configuration);
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
  const problems = validateValue(configuration, type);
  if (problems.length === 0) return configuration;
  const subject = subjectOf(configuration, write);
  throw new StatusError(500, '', `failed to create typed patch object (${subject}): ${listed(problems)}`);
}

/** Rejects an object that cannot be decoded after a configuration was applied to it. */
export function unconvertible(configuration: unknown, write: ManagedWrite, message: string): StatusError {
  const reason = `unable to convert unstructured object to ${kindOf(write)}: ${message}`;
  const subject = subjectOf(configuration as JsonObject, write);
  return new StatusError(500, '', `failed to convert new object (${subject}) to proper version: ${reason}`);
}

function subjectOf(configuration: JsonObject, write: ManagedWrite): string {
  const { name = '', namespace = '' } = metadataOf(configuration);
  const [shownNamespace, shownName] = [namespace, name].map((each) => (typeof each === 'string' ? each : ''));
  return `${shownNamespace}/${shownName}; ${kindOf(write)}`;
}

function kindOf({ apiVersion, resource }: ManagedWrite): string {
  return `${groupVersion(apiVersion)}, Kind=${resource.kind}`;
}

/** Returns the kind of a configuration; a kind that is no text is empty, and one of an invalid version is not shown. */
function groupVersionKind(apiVersion: unknown, kind: unknown): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  if (version.split('/').length > 2) return '/, Kind=';
  return `${groupVersion(version)}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** Returns the group and version as messages write them: with a slash, group or not. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}

/**
 * Returns the error for a stored object with an item that has no key, and so can have no owner.
 *
 * @param first whether the object has no recorded owners yet
 */
export function untypedObject(object: JsonObject, write: ManagedWrite, type: ValueType, first: boolean): StatusError {
  const subject = subjectOf(object, write);
  const problems = listed(validateValue(object, type));
  const message = first
    ? `failed to create manager for existing fields: failed to convert new object (${subject}) to smd typed: ${problems}`
    : `failed to create typed live object (${subject}): ${problems}`;
  return new StatusError(500, '', message);
}

function listed(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `errors:\n  ${problems.join('\n  ')}`;
}

/** Finds the reasons why a value cannot be applied, each with its path, in the server's words. */
export function validateValue(value: unknown, type: ValueType): string[] {
  const problems: string[] = [];
  visit(value, type, [], (path, problem) => problems.push(`${printPath(path)}: ${problem}`));
  return problems.sort();
}

type Report = (path: FieldPath, problem: string) => void;

function visit(value: unknown, type: ValueType, path: FieldPath, report: Report): void {
  if (value === null) return;
  const form = formOf(type, value);
  if (form === 'scalar') {
    const problem = scalarProblem(value, type.scalar!);
    if (problem) report(path, problem);
  } else if (form === 'list') {
    if (Array.isArray(value)) visitItems(value, type.list!, path, report);
    else report(path, `expected list, got &{${describeValue(value)}}`);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const below = [...path, memberElement(name)];
      const inner = memberType(type, name);
      // The server stops at the first one, too.
      if (!inner) return report(below, 'field not declared in schema');
      visit(member, inner, below, report);
    }
  } else {
    report(path, `expected map, got &{${describeValue(value)}}`);
  }
}

function visitItems(list: readonly unknown[], type: ListType, path: FieldPath, report: Report): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    let element = `i:${index}`;
    try {
      if (type.keys) element = itemElement(type, item);
    } catch (error) {
      return report(path, `element ${index}: ${(error as Error).message}`);
    }
    if (seen.has(element)) report(path, `duplicate entries for key ${printElement(element)}`);
    seen.add(element);
    visit(item, type.items(), [...path, element], report);
  }
}

function scalarProblem(value: unknown, expected: NonNullable<ValueType['scalar']>): string | undefined {
  switch (expected) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
    case 'numeric':
      if (isNumeric(value)) return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${describeValue(value)}}`;
    case 'any':
      return typeof value === 'object' ? `expected any scalar, got &{${describeValue(value)}}` : undefined;
  }
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
