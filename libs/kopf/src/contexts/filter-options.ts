import type { ChangeFilterContext } from './filter-contexts.interface.js';

/** Requires the label, annotation, or field to be present, with any value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** Requires the label, annotation, or field to be absent. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');

/** Decides whether a handler is for the object. It must be fast and have no side effects: it is called for every event. */
export type WhenFilter<Context> = (context: Context) => boolean;

/** Decides on one value, which is `undefined` if the field is absent. */
export type ValueCallback<Context, Value = any> = (value: Value | undefined, context: Context) => boolean;

/** Requires a value to be equal, to be present, to be absent, or to satisfy a callback. */
export type ValueFilter<Context> =
  typeof PRESENT | typeof ABSENT | ValueCallback<Context> | string | number | bigint | boolean | object;

/** Requires values of labels or annotations by their names. */
export type MetadataFilter<Context> = Readonly<
  Record<string, string | typeof PRESENT | typeof ABSENT | ValueCallback<Context, string>>
>;

/** Options that choose the objects by their metadata or by a callback. */
export interface ObjectFilters<Context> {
  labels?: MetadataFilter<Context>;
  annotations?: MetadataFilter<Context>;
  /** Called last of all filters. */
  when?: WhenFilter<Context>;
}

/** Options that choose the objects by a field. */
export interface FieldFilter<Context = ChangeFilterContext> {
  /** A field's path: `'spec.field'` or `['metadata', 'labels', 'a.b/c']`. Becomes a part of the handler's id. */
  field?: string | readonly string[];
  /** Requires a value of the field, before or after a change. @default PRESENT */
  value?: ValueFilter<Context>;
}

export type ChangeFilters = ObjectFilters<ChangeFilterContext>;
