import type { KubeObject } from '../resources/kube-object.js';

/** A column of a table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  /** The priority: 0 is always printed, more only with `-o wide`. */
  readonly priority?: number;
  readonly description?: string;
}

/** One value of a row. */
export type TableCell = string | number | bigint | boolean | null;

/** A function that prints the cells of an object, in the order of its resource's columns; `now` is in milliseconds since the epoch. */
export type CellPrinter = (object: Loose, now: number) => TableCell[];

/** The content of an object that was stored as JSON: any part of it may be missing. */
export type Loose = Readonly<Record<string, any>>;

/** The part of the objects that a table carries beside the cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The group and the versions in which tables and metadata are served. */
export type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

/** Options of a table. */
export interface TableOptions {
  /** @default 'meta.k8s.io/v1' */
  readonly apiVersion?: MetaVersion;
  /** @default 'Metadata' */
  readonly includeObject?: IncludeObject;
  /** The time that ages are counted to, in milliseconds since the epoch. */
  readonly now: number;
  /** The metadata of the list; without it the table is that of a single object and has its resource version. */
  readonly listMetadata?: object;
  /** Whether the definitions of the columns are left out, as in all events of a watch but the first. */
  readonly noHeaders?: boolean;
}

/** A row of a table. */
export interface TableRow {
  readonly cells: readonly TableCell[];
  readonly conditions?: readonly object[];
  readonly object: KubeObject | null;
}

/** A Table of the group `meta.k8s.io`. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: MetaVersion;
  readonly metadata: object;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[] | null;
}
