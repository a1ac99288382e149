import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { ObjectIdentity } from '../inspection.types.js';

/** Names an object as answers do, by its metadata, or by whatever else is known of it. */
export function referTo(
  resource: Resource,
  { name = '', namespace, uid }: { readonly name?: string; readonly namespace?: string; readonly uid?: string },
): ObjectIdentity {
  return { resource: qualifiedName(resource), kind: resource.kind, namespace, name, uid };
}
