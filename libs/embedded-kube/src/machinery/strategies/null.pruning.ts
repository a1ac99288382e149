import { isMapping } from '../draft.js';

/** The value without members that are null, as typed objects have none; the value itself if there are none. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isMapping(value)) return value;
  let changed = false;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const kept = withoutNulls(member);
    if (kept !== member || kept === null) changed = true;
    return kept === null ? [] : [[key, kept]];
  });
  return changed ? Object.fromEntries(entries) : value;
}
