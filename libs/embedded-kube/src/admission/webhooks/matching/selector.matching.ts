import { notFound } from '../../../errors/status.errors.js';
import type { AdmissionAttributes } from '../../../machinery/write.admission.js';
import type { LabelSelector } from '../../../selectors/label.selector.js';
import type { ObjectStore } from '../../../storage/object.store.js';

const NAMESPACES = 'namespaces';

/** Matches the labels of the namespace of a write; of the written namespace itself. @throws StatusError 404 if the namespace is gone */
export function matchesNamespace(
  store: ObjectStore,
  selector: LabelSelector,
  attributes: AdmissionAttributes,
): boolean {
  if (selector.isEmpty) return true;
  const { namespace, served, subresource, object } = attributes;
  const isNamespace = served.resource.plural === NAMESPACES;
  if (!namespace && !isNamespace) return true;
  if (isNamespace && object && !subresource) return selector.matches(object.metadata.labels);
  const found = store.collection(NAMESPACES).get('', namespace);
  if (!found) throw notFound({ group: '', name: NAMESPACES }, namespace);
  return selector.matches(found.object.metadata.labels);
}

/** Matches the labels of the object of a write, before it or after it; the options of a connection have none, and match no selector. */
export function matchesObject(selector: LabelSelector, { object, previous }: AdmissionAttributes): boolean {
  if (selector.isEmpty) return true;
  return [object, previous].some((each) => each?.metadata !== undefined && selector.matches(each.metadata.labels));
}
