// printing: the tables that `kubectl get` prints, for built-in kinds and for the columns of CRDs.
// Pure: from objects and the time of now to cells.
// May import: common, selectors, errors, resources.

import { mapping } from '../common/json.values.js';
import type { ApiResource } from '../resources/api-resource.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { PrinterColumn } from '../resources/served.resource.js';
import { age } from './cell.format.js';
import { CLUSTER_CELLS } from './cells/cluster.cells.js';
import { NETWORK_CELLS } from './cells/network.cells.js';
import { POD_CELLS, podRowConditions } from './cells/pod.cells.js';
import { POLICY_CELLS } from './cells/policy.cells.js';
import { STORAGE_CELLS } from './cells/storage.cells.js';
import { WORKLOAD_CELLS } from './cells/workload.cells.js';
import { customCells, customColumns } from './custom.cells.js';
import { AGE_DESCRIPTION, NAME_DESCRIPTION, TABLE_COLUMNS } from './table-columns.data.js';
import type {
  CellPrinter,
  IncludeObject,
  MetaVersion,
  Table,
  TableColumn,
  TableOptions,
  TableRow,
} from './table.types.js';

const CELLS: Readonly<Record<string, CellPrinter>> = {
  ...POD_CELLS,
  ...WORKLOAD_CELLS,
  ...STORAGE_CELLS,
  ...NETWORK_CELLS,
  ...CLUSTER_CELLS,
  ...POLICY_CELLS,
};

const PLAIN_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', description: NAME_DESCRIPTION },
  { name: 'Created At', type: 'date', description: AGE_DESCRIPTION },
];
const PLAIN_CELLS: CellPrinter = ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null];

const SCALE_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', type: 'string', description: NAME_DESCRIPTION },
  {
    name: 'Desired',
    type: 'integer',
    description: 'replicas is the desired number of instances for the scaled object.',
  },
  {
    name: 'Available',
    type: 'integer',
    description: 'replicas is the actual number of observed instances of the scaled object.',
  },
  { name: 'Age', type: 'string', description: AGE_DESCRIPTION },
];
const SCALE_CELLS: CellPrinter = (object, now) => [
  object.metadata.name,
  Number(mapping(object['spec'])['replicas'] ?? 0),
  Number(mapping(object['status'])['replicas'] ?? 0),
  age(object, now),
];
/** The resource whose table shows the scale of objects. */
export const SCALES = { group: 'autoscaling', plural: 'scales' } as const;

/**
 * Makes the table that `kubectl get` prints, with the columns and cells of the real server.
 *
 * @param printerColumns what a custom resource's definition declares: an empty list if it declares nothing; `undefined` for built-in resources
 * @example toTable(pods, undefined, items, { now: clock.now(), listMetadata: { resourceVersion: '5' } })
 */
export function toTable(
  resource: Pick<ApiResource, 'group' | 'plural'>,
  printerColumns: readonly PrinterColumn[] | undefined,
  objects: readonly KubeObject[],
  options: TableOptions,
): Table {
  const [columns] = printersOf(keyOf(resource), printerColumns);
  const { apiVersion = 'meta.k8s.io/v1' } = options;
  // The real server's common printer leaves out what is empty.
  const isNull = objects.length === 0 && columns === PLAIN_COLUMNS;
  return {
    kind: 'Table',
    apiVersion,
    metadata: options.listMetadata ?? singleMetadata(objects),
    columnDefinitions: options.noHeaders ? null : columns.map(definition),
    rows: isNull ? null : objects.map(rowPrinter(resource, printerColumns, options)),
  };
}

/** Returns the function that makes the rows of a table, one by one; see {@link toTable}. */
export function rowPrinter(
  resource: Pick<ApiResource, 'group' | 'plural'>,
  printerColumns: readonly PrinterColumn[] | undefined,
  { apiVersion = 'meta.k8s.io/v1', includeObject, now }: TableOptions,
): (object: KubeObject) => TableRow {
  const key = keyOf(resource);
  const [, cells] = printersOf(key, printerColumns);
  const conditions = key === 'pods' ? podRowConditions : undefined;
  return (object) => {
    const rowConditions = conditions?.(object);
    return {
      cells: cells(object, now),
      ...(rowConditions && { conditions: rowConditions }),
      object: included(object, apiVersion, includeObject),
    };
  };
}

function keyOf({ group, plural }: Pick<ApiResource, 'group' | 'plural'>): string {
  return group ? `${plural}.${group}` : plural;
}

function printersOf(
  key: string,
  printerColumns: readonly PrinterColumn[] | undefined,
): [readonly TableColumn[], CellPrinter] {
  if (key === 'scales.autoscaling') return [SCALE_COLUMNS, SCALE_CELLS];
  if (printerColumns) return [customColumns(printerColumns), customCells(printerColumns)];
  if (Object.hasOwn(TABLE_COLUMNS, key) && Object.hasOwn(CELLS, key)) return [TABLE_COLUMNS[key], CELLS[key]];
  return [PLAIN_COLUMNS, PLAIN_CELLS];
}

function definition({ name, type, format = '', description = '', priority = 0 }: TableColumn): TableColumn {
  return { name, type, format, description, priority };
}

function singleMetadata(objects: readonly KubeObject[]): object {
  const resourceVersion = objects[0]?.metadata.resourceVersion;
  return resourceVersion === undefined ? {} : { resourceVersion };
}

function included(object: KubeObject, apiVersion: MetaVersion, include: IncludeObject = 'Metadata'): KubeObject | null {
  if (include === 'None') return null;
  if (include === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}
