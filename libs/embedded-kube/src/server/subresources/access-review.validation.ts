import { isMapping, mapping } from '../../common/json.values.js';
import { type FieldError, invalidField } from '../../errors/field.error.js';
import type { Draft } from '../../resources/kube-object.js';

/** The reviews of access, by the plurals of their resources. */
export type AccessReviewKind = 'selfsubjectaccessreviews' | 'subjectaccessreviews' | 'localsubjectaccessreviews';

const RESOURCE = 'spec.resourceAttributes';
const PATH = 'spec.nonResourceAttributes';

/** Checks a review of access. @param namespace of the request */
export function validateAccessReview(kind: AccessReviewKind, review: Draft, namespace: string): FieldError[] {
  const spec = mapping(review['spec']);
  const isLocal = kind === 'localsubjectaccessreviews';
  const errors: FieldError[] = [];
  if (kind !== 'selfsubjectaccessreviews') errors.push(...validateSubject(spec));
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (isMapping(resource) && isMapping(path)) {
    errors.push(invalidField(PATH, shown(path), 'cannot be specified in combination with resourceAttributes'));
  } else if (!isMapping(resource) && !isMapping(path)) {
    const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidField(RESOURCE, null, rule));
  }
  if (isMapping(resource)) errors.push(...validateSelectors(resource));
  const { managedFields: _, namespace: home, ...metadata } = review.metadata;
  const rest = isLocal ? metadata : review.metadata.namespace ? { ...metadata, namespace: home } : metadata;
  // The namespace of the request is none of the review's metadata.
  if (Object.entries(rest).some(([key, value]) => key !== 'namespace' && Boolean(value))) {
    errors.push(invalidField('metadata', rest, isLocal ? 'must be empty except for namespace' : 'must be empty'));
  }
  if (!isLocal) return errors;
  if (isMapping(resource) && (resource['namespace'] ?? '') !== namespace) {
    const rule = 'must match metadata.namespace';
    errors.push(invalidField(`${RESOURCE}.namespace`, resource['namespace'] ?? '', rule));
  }
  if (isMapping(path)) errors.push(invalidField(PATH, shown(path), 'disallowed on this kind of request'));
  return errors;
}

function validateSubject({ user, groups }: Readonly<Record<string, unknown>>): FieldError[] {
  if (user || (Array.isArray(groups) && groups.length > 0)) return [];
  return [invalidField('spec.user', user ?? '', 'at least one of user or group must be specified')];
}

function validateSelectors(resource: Readonly<Record<string, unknown>>): FieldError[] {
  return ['fieldSelector', 'labelSelector'].flatMap((name) => {
    const { rawSelector, requirements } = mapping(resource[name]);
    const isBoth =
      typeof rawSelector === 'string' && rawSelector && Array.isArray(requirements) && requirements.length > 0;
    const rule = 'may not specified at the same time as requirements';
    return isBoth ? [invalidField(`${RESOURCE}.${name}.rawSelector`, rawSelector, rule)] : [];
  });
}

/** Returns the attributes as the real server prints them. */
function shown({ path = '', verb = '' }: Readonly<Record<string, unknown>>): object {
  return { Path: path, Verb: verb };
}
