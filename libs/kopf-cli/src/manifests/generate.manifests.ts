// manifests: what an operator needs in the cluster, generated from the handlers and options of its module, without a cluster: RBAC rules that
// permit what is needed and no more, and what else is deployed with it; and the verification of files, clusters, and runs against that.

import type { CustomResourceDefinition } from 'nestjs-kopf/crd';
import { KopfBootstrapError, type KubeObject } from 'nestjs-kopf';
import type { DescriptionOptions, ManifestSource, Permission, RequiredPermission } from 'nestjs-kopf/inspection';
import {
  compareTexts,
  createConversionStanza,
  derivePermissions,
  describeOperator,
  KnownResources,
  type OperatorDescription,
  type RequiredPermissions,
  ServedScope,
} from 'nestjs-kopf/tooling';
import { createHelmChart, createScopedRbac, HELM_PLACEHOLDERS } from './bundles/helm.chart.js';
import { createKustomizeBase } from './bundles/kustomize.base.js';
import { createOlmBundle, TARGET_NAMESPACES, type OlmOptions } from './bundles/olm.bundle.js';
import { INSTALL_MODES } from './bundles/olm.rules.js';
import { formatManifest, type GeneratedObject } from './output/yaml.format.js';
import { createRbac, type OperatorPlace } from './rbac/rbac.manifests.js';
import { OperatorWebhooks } from './webhooks/operator.webhooks.js';
import { createWebhookManifests } from './webhooks/webhook.manifests.js';
import type { WebhookOptions } from './webhooks/webhook.options.js';
import { Workload } from './workload/workload.manifests.js';
import { RESOURCES, type WorkloadOptions } from './workload/workload.options.js';

/**
 * The format of the files: plain files for `kubectl apply`, a base of Kustomize, a chart of Helm, or a bundle of the Operator Lifecycle
 * Manager.
 */
export type ManifestFormat = 'yaml' | 'kustomize' | 'helm' | 'olm';

/** The options of what is generated. */
export interface ManifestOptions extends DescriptionOptions, WorkloadOptions {
  /** The name of the operator in the cluster: of its Deployment, its account, its roles. */
  readonly name: string;
  /** The namespace that the operator runs in. @default 'default' */
  readonly namespace?: string;
  /**
   * The service account, of the same namespace, that several operators share. The roles of each of them are bound to it; the account itself
   * is not among the files. @default an account with the name of the operator
   */
  readonly account?: string;
  /**
   * The CRDs of the operator's own resources, which are among the files. Those of classes with `@CustomResource()` are generated; one that
   * is given here takes the place of a generated one of the same name.
   */
  readonly crds?: readonly KubeObject[];
  /** The CRDs of others whose resources the operator handles or uses, which are not among the files. */
  readonly foreignCrds?: readonly KubeObject[];
  /** @default 'yaml' */
  readonly format?: ManifestFormat;
  /**
   * The environment variable from which the module takes the namespaces that it serves, separated by commas; without any, it serves the whole
   * cluster. A chart then has the value `namespaces`, from which the variable and the roles in these namespaces follow. A bundle has the variable
   * set by OLM, and supports all install modes. Other formats have the namespaces of the module as it is. @default none: a chart is for the
   * namespaces of the module, and so is a bundle, which supports the mode AllNamespaces only
   */
  readonly namespacesVariable?: string;
  /** How the API server trusts webhooks whose configurations the operator does not manage. */
  readonly webhooks?: WebhookOptions;
  /** The version of charts and bundles, and what catalogues say of the operator. */
  readonly olm?: OlmOptions;
}

/** The generated files, with what is known about them. */
export interface GeneratedManifests {
  /** The texts of the files by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** The objects by the paths of the plain files that have them, for all formats. */
  readonly objects: Readonly<Record<string, readonly KubeObject[]>>;
  /** The permissions that the rules are made of, each with what needs it. */
  readonly permissions: readonly RequiredPermission[];
  /** The permissions that the operator tries to use, but works without: to watch CRDs while it serves named namespaces only. */
  readonly optional: readonly Permission[];
  /** The assumptions that were made, and what to do about them. */
  readonly warnings: readonly string[];
}

/** The objects of an operator by the paths of their files, with what they are made of. */
interface Draft extends RequiredPermissions {
  readonly documents: Readonly<Record<string, readonly GeneratedObject[]>>;
  readonly workload: Workload;
  readonly webhooks?: OperatorWebhooks;
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
  const { name, namespace = 'default', account } = options;
  const operator = await describeOperator(source, options);
  const crds = ownDefinitions(operator, namespace, options.crds);
  const draft = createDraft(operator, { name, namespace, account }, { ...options, crds });
  const { documents, permissions, optional } = draft;
  const warnings = [...draft.warnings, ...findFormatWarnings(operator, options)];
  const entries = Object.entries(documents);
  return {
    files: createFiles(operator, draft, { ...options, crds }),
    objects: Object.fromEntries(entries.map(([path, objects]) => [path, objects.map(({ object }) => object)])),
    permissions,
    optional,
    warnings,
  };
}

/** The generated CRDs, but for those that are given, and the given ones, in the order of their names. */
function ownDefinitions(
  operator: OperatorDescription,
  namespace: string,
  given: readonly KubeObject[] = [],
): readonly KubeObject[] {
  const names = new Set(given.map(({ metadata }) => metadata.name));
  const generated = operator.definitions
    .filter(({ metadata }) => !names.has(metadata.name))
    .map((definition) => withConversion(definition, operator, namespace) as unknown as KubeObject);
  return [...generated, ...given].sort((one, other) =>
    compareTexts(String(one.metadata.name), String(other.metadata.name)),
  );
}

/** Sets the service of conversions in the CRD, unless the running operator does. */
function withConversion(
  definition: CustomResourceDefinition,
  { handlers, settings, server }: OperatorDescription,
  namespace: string,
): CustomResourceDefinition {
  const { name } = definition.metadata;
  const isConverted = handlers.allConversions().some((handler) => handler.definition === name);
  if (!isConverted || settings.admission.managed !== null || !server?.service) return definition;
  const conversion = createConversionStanza(name, { service: { namespace, ...server.service } });
  return { ...definition, spec: { ...definition.spec, conversion } };
}

function createDraft(operator: OperatorDescription, place: OperatorPlace, options: ManifestOptions): Draft {
  const { crds = [], foreignCrds = [] } = options;
  const known = new KnownResources([...crds, ...foreignCrds]);
  const derived = derivePermissions(operator, known, place.namespace, options.webhooks?.certManager);
  if (derived.errors.length > 0) throw new KopfBootstrapError(derived.errors);
  const workload = new Workload(operator, place, options);
  const webhooks = OperatorWebhooks.of(operator, place, known, options.prefix);
  const configurations = createWebhookManifests(webhooks, operator, place, options.webhooks);
  const documents = {
    'crd.yaml': crds.map((object) => ({ object })),
    'rbac.yaml': createRbac(derived.permissions, place),
    'deployment.yaml': workload.objects,
    'webhooks.yaml': configurations.objects,
    'disruption.yaml': workload.disruption,
    'monitoring.yaml': workload.monitoring,
  };
  const present = Object.entries(documents).filter(([, objects]) => objects.length > 0);
  const warnings = [...derived.warnings, ...configurations.warnings];
  return { ...derived, warnings, documents: Object.fromEntries(present), workload, webhooks };
}

function createFiles(
  operator: OperatorDescription,
  draft: Draft,
  options: ManifestOptions,
): Readonly<Record<string, string>> {
  const {
    name,
    namespace = 'default',
    account,
    format = 'yaml',
    crds = [],
    resources = RESOURCES,
    image = `${name}:latest`,
  } = options;
  if (format === 'helm') return createChart(operator, draft, { ...options, resources, image });
  if (format === 'olm') return createBundle(operator, draft, { name, namespace, account }, { ...options, crds });
  const files = formatAll(draft.documents);
  return format === 'kustomize' ? createKustomizeBase(files) : files;
}

/** Makes a bundle; with a variable for the namespaces to serve, OLM sets it. */
function createBundle(
  operator: OperatorDescription,
  draft: Draft,
  place: OperatorPlace,
  options: ManifestOptions & { readonly crds: readonly KubeObject[] },
): Readonly<Record<string, string>> {
  const { namespacesVariable, env, crds, olm = {} } = options;
  const createFor = (namespaces?: string): Draft => {
    const limited = { ...operator, options: { ...operator.options, namespaces } };
    return createDraft(limited, place, { ...options, env: { ...env, [namespacesVariable!]: TARGET_NAMESPACES } });
  };
  // OLM repeats the roles of the operator's own namespace in each of those that it serves.
  const { workload, webhooks, ...own } = namespacesVariable === undefined ? draft : createFor(place.namespace);
  const permissions =
    namespacesVariable === undefined
      ? own.permissions
      : [...own.permissions, ...permissionsBeyond(own.permissions, createFor().permissions)];
  const others = [...workload.objects, ...workload.disruption, ...workload.monitoring].map(({ object }) => object);
  const { deployment } = workload;
  const installModes = namespacesVariable === undefined ? (['AllNamespaces'] as const) : INSTALL_MODES;
  return createOlmBundle({ place, permissions, deployment, crds, others, installModes, webhooks, options: olm });
}

/** The permissions for the whole cluster that are not among those for a namespace: those for resources without namespaces. */
function permissionsBeyond(
  own: readonly RequiredPermission[],
  everywhere: readonly RequiredPermission[],
): readonly RequiredPermission[] {
  const keyOf = ({ group, resource, verb, name }: RequiredPermission): string =>
    JSON.stringify([group, resource, verb, name]);
  const known = new Set(own.map(keyOf));
  return everywhere.filter((permission) => permission.namespace === undefined && !known.has(keyOf(permission)));
}

function findFormatWarnings(
  { options: { namespaces } }: OperatorDescription,
  { format, namespacesVariable }: ManifestOptions,
): readonly string[] {
  if (format !== 'olm' || namespacesVariable !== undefined || namespaces === undefined) return [];
  const served = [namespaces].flat().map(String).join(', ');
  return [
    `The module serves ${served}, whatever namespaces OLM wants to be served, so the bundle supports AllNamespaces only. Let the module ` +
      'read the namespaces from a variable, and name it with namespacesVariable.',
  ];
}

/** Makes a chart; with a variable for the namespaces to serve, these are a value of the chart. */
function createChart(
  operator: OperatorDescription,
  { workload: { replicas } }: Draft,
  options: ManifestOptions & { readonly resources: object; readonly image: string },
): Readonly<Record<string, string>> {
  const { name, account, image, resources, namespacesVariable, env } = options;
  const { namespace, served, each } = HELM_PLACEHOLDERS;
  const version = versionOf(options);
  const place = { name, namespace, account };
  const placeholders = { ...options, ...HELM_PLACEHOLDERS };
  if (namespacesVariable === undefined) {
    const { documents } = createDraft(operator, place, placeholders);
    return createHelmChart(formatAll(documents), { name, version, image, replicas, resources });
  }
  const createFor = (namespaces?: string): Draft['documents'] => {
    const limited = { ...operator, options: { ...operator.options, namespaces } };
    return createDraft(limited, place, { ...placeholders, env: { ...env, [namespacesVariable]: served } }).documents;
  };
  const everywhere = createFor();
  const files = {
    ...formatAll(everywhere),
    'rbac.yaml': createScopedRbac(everywhere['rbac.yaml'], createFor(each)['rbac.yaml']),
  };
  const { isNamespaced, namespaces } = new ServedScope(operator.options.namespaces);
  const present = isNamespaced ? namespaces.map(String) : [];
  return createHelmChart(files, { name, version, image, replicas, resources, namespaces: present });
}

function formatAll(documents: Draft['documents']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(documents).map(([path, objects]) => [path, formatManifest(objects)]));
}

function versionOf({ olm }: ManifestOptions): string {
  return olm?.version ?? '0.0.1';
}
