import { jsonEqual } from '../common/json.values.js';
import type { Authorizer } from '../machinery/authorizer.js';
import { SYSTEM_USER } from '../machinery/api.user.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { Draft, OwnerReference } from '../resources/kube-object.js';
import type { ResourceRegistry } from '../resources/resource.registry.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

/** The text that the real server prints for a missing reason and error of the authorizer. */
const NO_REASON = ', <nil>';

/**
 * The plugin that requires the right to delete an object from users who change its owners, and the right to set finalizers of an owner from
 * users who block its deletion: as on OpenShift, and on other clusters that switch it on.
 */
export class OwnerReferencePermissionsPlugin implements AdmissionPlugin {
  readonly name = 'OwnerReferencesPermissionEnforcement';

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly authorizer: Authorizer,
  ) {}

  validate(attributes: AdmissionAttributes): void {
    const { operation, served, subresource = '', object, previous, user } = attributes;
    if (!object?.metadata || user === SYSTEM_USER) return;
    if (served.storageKey === 'pods' && subresource === 'status') return;
    const owners = ownersOf(object);
    if (jsonEqual(owners, ownersOf(previous))) return;
    if (operation !== 'CREATE') this.assertDeletable(attributes);
    const known = new Map(ownersOf(previous).map((owner) => [owner.uid, owner]));
    for (const owner of owners) {
      const isBlockingAnew = owner.blockOwnerDeletion === true && known.get(owner.uid)?.blockOwnerDeletion !== true;
      if (isBlockingAnew) this.assertBlockable(attributes, owner);
    }
  }

  private assertDeletable(attributes: AdmissionAttributes): void {
    const { served, subresource, namespace, name, user } = attributes;
    const { group, plural } = served.resource;
    const resource = subresource ? `${plural}/${subresource}` : plural;
    if (this.authorizer.authorize({ user, verb: 'delete', group, resource, namespace, name })) return;
    throw denied(attributes, `cannot set an ownerRef on a resource you can't delete: ${NO_REASON}`);
  }

  private assertBlockable(attributes: AdmissionAttributes, { apiVersion, kind, name }: OwnerReference): void {
    const owner = this.registry.findKind(apiVersion, kind);
    if (!owner) {
      const what = `APIVersion ${apiVersion} Kind ${kind}`;
      const reason = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
      const message = 'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for';
      throw denied(attributes, `${message} ${what}: ${reason}`);
    }
    const { group, plural, namespaced } = owner.resource;
    const namespace = namespaced ? attributes.namespace : '';
    const access = { user: attributes.user, verb: 'update', group, resource: `${plural}/finalizers`, namespace, name };
    if (this.authorizer.authorize(access)) return;
    const message =
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    throw denied(attributes, `${message}: ${NO_REASON}`);
  }
}

function ownersOf(object: Pick<Partial<Draft>, 'metadata'> | undefined): readonly OwnerReference[] {
  return object?.metadata?.ownerReferences ?? [];
}
