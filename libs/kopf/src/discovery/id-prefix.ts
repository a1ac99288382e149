import { KOPF_ID_PREFIX } from '../kopf.tokens.js';
import { findImportedValues, type ModuleMember } from './nest.internals.js';

/** The prefix of the ids of a provider's handlers, or the reason why it is ambiguous. */
export interface IdPrefix {
  readonly idPrefix?: string;
  readonly violation?: string;
}

/** Finds the prefix that the module of a provider or a controller has set by `KopfModule.forFeature({ idPrefix })`. */
export function findIdPrefix(member: ModuleMember): IdPrefix {
  const [idPrefix, ...others] = new Set(findImportedValues<string>(member, KOPF_ID_PREFIX));
  if (others.length === 0) return { idPrefix };
  const all = [idPrefix, ...others].map((prefix) => `'${prefix}'`).join(' and ');
  const module = member.host?.metatype.name;
  return { violation: `${module} imports KopfModule.forFeature() with different values of idPrefix, ${all}; keep one` };
}
