import type { ChangeFilterContext } from './filter-contexts.interface.js';

/** The filter for a label, annotation, or field that is present, with any value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** The filter for a label, annotation, or field that is absent. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');

/** A filter that decides whether a handler is for the object. It must be fast and have no side effects: it is called for every event. */
export type WhenFilter<Context> = (context: Context) => boolean;

/** A filter of one value, which is `undefined` if the field is absent. */
export type ValueCallback<Context, Value = any> = (value: Value | undefined, context: Context) => boolean;

/** A filter of a value: equal to it, present, absent, or satisfying a callback. */
export type ValueFilter<Context> =
  typeof PRESENT | typeof ABSENT | ValueCallback<Context> | string | number | bigint | boolean | object;

/** Filters of labels or annotations by their names. */
export type MetadataFilter<Context> = Readonly<
  Record<string, string | typeof PRESENT | typeof ABSENT | ValueCallback<Context, string>>
>;

/** Options that choose the objects by their metadata or by a callback. */
export interface ObjectFilters<Context> {
  labels?: MetadataFilter<Context>;
  annotations?: MetadataFilter<Context>;
  /** The filter that is called last. */
  when?: WhenFilter<Context>;
}

/** Options that choose the objects by a field. */
export interface FieldFilter<Context = ChangeFilterContext> {
  /** The path of a field: `'spec.field'` or `['metadata', 'labels', 'a.b/c']`. It becomes a part of the handler's id. */
  field?: string | readonly string[];
  /** A filter of the field's value, before or after a change. @default PRESENT */
  value?: ValueFilter<Context>;
}

export type ChangeFilters = ObjectFilters<ChangeFilterContext>;
