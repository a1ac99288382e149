import type { ObjectDiff } from '../../objects/diffs.js';
import { isMap } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { REDACTED } from '../../objects/redaction.js';
import type { Redactor } from '../../resources/redactor.js';
import type { Resource } from '../../resources/resources.js';
import type { InspectedChange } from '../inspection.types.js';

/** The annotation of kubectl that holds a copy of the whole object, which stands beside it anyway. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Redacts an object, and removes its managed fields and the copy of it that kubectl keeps. */
export function showObject(redactor: Redactor, resource: Resource, body: KubeObject): unknown {
  const shown = redactor.object(resource, body);
  if (!isMap(shown) || !isMap(shown.metadata)) return shown;
  const { managedFields: _managed, annotations, ...metadata } = shown.metadata;
  const isApplied = isMap(annotations) && LAST_APPLIED in annotations;
  const own = isApplied ? { ...annotations, [LAST_APPLIED]: REDACTED } : annotations;
  return { ...shown, metadata: { ...metadata, ...(own !== undefined && { annotations: own }) } };
}

/** Redacts the changes of an object. */
export function showChanges(redactor: Redactor, resource: Resource, changes: ObjectDiff): readonly InspectedChange[] {
  const shown = redactor.diff(resource, changes) as ObjectDiff;
  return shown.map(([operation, path, old, now]) => {
    const isHidden = path.includes(LAST_APPLIED);
    return { operation, path, old: isHidden ? REDACTED : (old ?? null), new: isHidden ? REDACTED : (now ?? null) };
  });
}
