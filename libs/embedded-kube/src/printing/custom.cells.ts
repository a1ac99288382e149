import type { PrinterColumn } from '../resources/served.resource.js';
import { isNumeric, sortedJson } from '../common/json.values.js';
import { humanDuration } from './human.duration.js';
import { JsonPath } from './json.path.js';
import { AGE_DESCRIPTION, NAME_DESCRIPTION } from './table-columns.data.js';
import type { CellPrinter, TableCell, TableColumn } from './table.types.js';

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: AGE_DESCRIPTION,
  jsonPath: '.metadata.creationTimestamp',
};

/** Returns the columns of a custom resource: its name, and what its definition declares, or its age. */
export function customColumns(printerColumns: readonly PrinterColumn[] | undefined): TableColumn[] {
  const columns = declaredColumns(printerColumns).map(({ name, type, format, priority, description, jsonPath }) => ({
    name,
    type,
    format,
    priority,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  }));
  return [{ name: 'Name', type: 'string', format: 'name', description: NAME_DESCRIPTION }, ...columns];
}

/** Creates the printer of the cells of a custom resource's objects. */
export function customCells(printerColumns: readonly PrinterColumn[] | undefined): CellPrinter {
  const columns = declaredColumns(printerColumns).map(({ type, jsonPath }) => ({ type, path: parsePath(jsonPath) }));
  return (object, now) => {
    const cells: TableCell[] = [object.metadata.name];
    for (const { type, path } of columns) {
      const values = path?.find(object) ?? [];
      cells.push(values.length ? cellOf(type, values[0], now) : null);
    }
    return cells;
  };
}

function declaredColumns(printerColumns: readonly PrinterColumn[] | undefined): readonly PrinterColumn[] {
  return printerColumns?.length ? printerColumns : [AGE];
}

/** Parses the path of a column. A column with an invalid path stays empty: the definition was accepted with it. */
function parsePath(text: string): JsonPath | undefined {
  try {
    return JsonPath.parse(text);
  } catch {
    return undefined;
  }
}

function cellOf(type: string, value: unknown, now: number): TableCell {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return isNumeric(value) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateText(value, now) : null;
    default:
      return null;
  }
}

function dateText(value: string, now: number): string {
  if (value === '') return '<unknown>';
  const isDate = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value);
  const time = isDate ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  return typeof value === 'object' ? escapedJson(value) : String(value);
}

/** Writes JSON with the members in the order of their names, and HTML's special characters escaped, as Go does. */
function escapedJson(value: unknown): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return sortedJson(value).replaceAll(/[<>&\u2028\u2029]/g, escape);
}
