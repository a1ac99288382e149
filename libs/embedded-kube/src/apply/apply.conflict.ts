import { StatusError } from '../errors/status.error.js';
import type { FieldSet } from './field.set.js';
import type { Manager } from './managed.fields.js';
import { printPath } from './path.element.js';

/** The fields of another manager that an application would change. */
export interface FieldConflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** Returns the error for an application that would change fields of other owners, as the real server words it. */
export function applyConflict(conflicts: readonly FieldConflict[]): StatusError {
  const lines = conflicts
    .flatMap(({ manager, fields }) => [...fields.paths()].map((path) => [describe(manager), printPath(path)] as const))
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  const causes = lines.map(([manager, field]) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field,
  }));
  return new StatusError(409, 'Conflict', messageOf(lines), { causes });
}

function messageOf(lines: readonly (readonly [manager: string, path: string])[]): string {
  if (lines.length === 1) {
    const [[manager, path]] = lines as [readonly [string, string]];
    return `Apply failed with 1 conflict: conflict with ${manager}: ${path}`;
  }
  const parts = lines.flatMap(([manager, path], index) => [
    ...(lines[index - 1]?.[0] === manager ? [] : [`conflicts with ${manager}:`]),
    `- ${path}`,
  ]);
  return `Apply failed with ${lines.length} conflicts: ${parts.join('\n')}`;
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const who = `${JSON.stringify(name)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return operation === 'Update' ? `${who} using ${apiVersion}` : who;
}
