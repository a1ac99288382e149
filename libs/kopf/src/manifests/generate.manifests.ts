// manifests: what an operator needs in the cluster, generated from the handlers and options of its module, without a cluster: RBAC rules that
// permit what is needed and no more, and whatever else is deployed with it; and the verification of files, clusters, and runs against that.
// May import: everything but other leaves.

import { KopfBootstrapError } from '../common/kopf.errors.js';
import type { KubeObject } from '../objects/kube-object.js';
import { formatManifest, type GeneratedObject } from './output/yaml.format.js';
import { describeOperator, type DescriptionOptions, type ManifestSource } from './operator/operator.description.js';
import type { Permission, RequiredPermission } from './rbac/permission.js';
import { createRbac } from './rbac/rbac.manifests.js';
import { derivePermissions } from './rbac/required.permissions.js';
import { KnownResources } from './resources/known.resources.js';

/** Configures what is generated. */
export interface ManifestOptions extends DescriptionOptions {
  /** The name of the operator in the cluster: of its Deployment, its account, its roles. */
  readonly name: string;
  /** The namespace that the operator runs in. @default 'default' */
  readonly namespace?: string;
  /** The CRDs of the resources that handlers name, as far as Kubernetes itself does not have these resources. */
  readonly crds?: readonly KubeObject[];
}

/** The generated files, with what is known about them. */
export interface GeneratedManifests {
  /** The texts of the files by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** The objects by the paths of their files. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  /** The permissions that the rules are made of, each with what needs it. */
  readonly permissions: readonly RequiredPermission[];
  /** The permissions that the operator tries to use, but works without: to watch CRDs while it serves named namespaces only. */
  readonly optional: readonly Permission[];
  /** Says what had to be assumed, and what to do about it. */
  readonly warnings: readonly string[];
}

/**
 * Generates what an operator needs in the cluster. The same module gives the same text every time.
 *
 * @param source the module of the application, of which nothing is started, or the application itself.
 * @throws KopfBootstrapError if declarations of handlers are wrong, or their resources are not known.
 *
 * @example
 * const { files } = await generateManifests(AppModule, { name: 'my-operator', crds: [crd] });
 * await writeFile('k8s/rbac.yaml', files['rbac.yaml']);
 */
export async function generateManifests(source: ManifestSource, options: ManifestOptions): Promise<GeneratedManifests> {
  const { name, namespace = 'default', crds = [] } = options;
  const operator = await describeOperator(source, options);
  const { permissions, optional, warnings, errors } = derivePermissions(operator, new KnownResources(crds), namespace);
  if (errors.length > 0) throw new KopfBootstrapError(errors);
  const documents: Record<string, readonly GeneratedObject[]> = {
    'rbac.yaml': createRbac(permissions, { name, namespace }),
  };
  const entries = Object.entries(documents);
  return {
    files: Object.fromEntries(entries.map(([path, objects]) => [path, formatManifest(objects)])),
    objects: Object.fromEntries(entries.map(([path, objects]) => [path, objects.map(({ object }) => object)])),
    permissions,
    optional,
    warnings,
  };
}
