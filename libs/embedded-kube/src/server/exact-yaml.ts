import { CORE_SCHEMA, DUMP_SCHEMA, intCoreTag, NOT_RESOLVED, type Schema } from 'js-yaml';
import { parseJson } from '../common/exact-json.js';

/** Reads YAML with the integers that JSON has, as the server converts YAML to JSON: those of 64 bits are exact. */
export const EXACT_LOAD_SCHEMA: Schema = CORE_SCHEMA.withTags({
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    if (value === NOT_RESOLVED || Number.isSafeInteger(value) || !/^[-+]?[1-9]\d*$/.test(source)) return value;
    return parseJson(source.replace('+', ''));
  },
});

/** Writes bigints as integers. */
export const EXACT_DUMP_SCHEMA: Schema = DUMP_SCHEMA.withTags({
  ...(DUMP_SCHEMA.tags.find(({ tagName }) => tagName === intCoreTag.tagName) as typeof intCoreTag),
  identify: (value) => typeof value === 'bigint' || intCoreTag.identify(value),
  represent: String,
});
