import type { ABSENT, PRESENT } from './filter-token.enum.js';

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
