import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { ObjectIdentity } from '../inspection.types.js';

/** Makes the reference to an object as answers have it, of its metadata or of what else is known of it. */
export function referTo(
  resource: Resource,
  { name = '', namespace, uid }: { readonly name?: string; readonly namespace?: string; readonly uid?: string },
): ObjectIdentity {
  return { resource: qualifiedName(resource), kind: resource.kind, namespace, name, uid };
}
