import type { ServedResource } from '../../../resources/served.resource.js';
import type { GroupVersionKind } from '../../../machinery/write.admission.js';
import type { AdmissionView } from './admission.view.js';

/** What a review says of a request beside its objects, without its uid. */
export function requestHead({ attributes, served, kind }: AdmissionView): object {
  const { subresource, name, namespace, operation, user, dryRun } = attributes;
  return {
    kind: kindOf(kind),
    resource: resourceOf(served),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(attributes.kind ?? attributes.served.resource),
    requestResource: resourceOf(attributes.served),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: { username: user.name, ...(user.uid && { uid: user.uid }), groups: user.groups },
    dryRun,
  };
}

function kindOf({ group, version, kind }: GroupVersionKind): object {
  return { group, version, kind };
}

function resourceOf({ resource: { group, version, plural } }: ServedResource): object {
  return { group, version, resource: plural };
}
