import type { KubeObject } from '../resources/kube-object.js';
import type { PrinterColumn } from '../resources/served.resource.js';
import recordedRows from './recorded-rows.json' with { type: 'json' };
import { toTable } from './table.printer.js';
import type { IncludeObject } from './table.types.js';

/** A row as a real API server answered it, with the object that it was made of and the time of the answer. */
interface RecordedRow {
  readonly group: string;
  readonly plural: string;
  readonly printerColumns?: PrinterColumn[];
  readonly now: number;
  readonly object: KubeObject;
  readonly cells: unknown[];
  readonly conditions?: object[];
}

const recorded = recordedRows as unknown as RecordedRow[];
const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const configMap: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  data: { a: '1' },
};
const now = Date.parse('2026-01-01T00:05:00Z');

/** The server's answer took a moment, and its date has no milliseconds. */
const withoutSeconds = (cell: unknown) =>
  typeof cell === 'string' ? cell.replace(/^(\d+h|\d+m)?\d+s$/, '$1 and seconds') : cell;

describe('toTable', () => {
  it.each(recorded.map((row) => [row.plural, row.object.metadata.name, row] as const))(
    'should print a row of %s as the real server: %s',
    (_plural, _name, { group, plural, printerColumns, now, object, cells, conditions }) => {
      const { rows } = toTable({ group, plural }, printerColumns, [object], { now });
      expect(rows![0].cells.map(withoutSeconds)).toEqual(cells.map(withoutSeconds));
      expect(rows![0].conditions).toEqual(conditions);
    },
  );

  it.each<[IncludeObject, unknown]>([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: configMap.metadata }],
    ['Object', configMap],
  ])('should include %s of the objects', (includeObject, expected) => {
    const { rows } = toTable(CONFIG_MAPS, undefined, [configMap], { now, includeObject });
    expect(rows).toEqual([{ cells: ['c', 1, '5m'], object: expected }]);
  });

  it('should carry the metadata of a list, or the version of a single object', () => {
    const listMetadata = { resourceVersion: '9', continue: 'x' };
    expect(toTable(CONFIG_MAPS, undefined, [], { now, listMetadata }).metadata).toBe(listMetadata);
    expect(toTable(CONFIG_MAPS, undefined, [configMap], { now }).metadata).toEqual({ resourceVersion: '7' });
  });

  it('should leave out the headers where a watch has given them already', () => {
    expect(toTable(CONFIG_MAPS, undefined, [configMap], { now, noHeaders: true }).columnDefinitions).toBeNull();
  });

  it('should print name and creation of resources without columns of their own', () => {
    const table = toTable({ group: 'rbac.authorization.k8s.io', plural: 'roles' }, undefined, [configMap], { now });
    expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Created At']);
    expect(table.rows![0].cells).toEqual(['c', '2026-01-01T00:00:00Z']);
  });

  it('should have no rows, not even an empty list, of nothing without columns of its own', () => {
    expect(toTable({ group: '', plural: 'limitranges' }, undefined, [], { now }).rows).toBeNull();
    expect(toTable(CONFIG_MAPS, undefined, [], { now }).rows).toEqual([]);
  });

  it('should print the age of custom resources that declare no columns', () => {
    const table = toTable({ group: 'k.io', plural: 'xs' }, [], [configMap], { now });
    expect(table.columnDefinitions?.map(({ name, type }) => `${name}:${type}`)).toEqual(['Name:string', 'Age:date']);
    expect(table.rows![0].cells).toEqual(['c', '5m']);
  });
});
