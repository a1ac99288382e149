import type { WebhookClientConfig } from 'nestjs-kopf/webhooks';
import { KopfBootstrapError, type KubeObject } from 'nestjs-kopf';
import type { RequiredPermission } from 'nestjs-kopf/inspection';
import { formatYaml } from '../output/yaml.format.js';
import { createRules } from '../rbac/policy.rules.js';
import { accountOf, type OperatorPlace } from '../rbac/rbac.manifests.js';
import type { OperatorWebhooks } from '../webhooks/operator.webhooks.js';
import { findBundleViolations, INSTALL_MODES, type InstallMode } from './olm.rules.js';

/** The description of the operator in the catalogues of the Operator Lifecycle Manager. */
export interface OlmOptions {
  /** The version of the operator: `1.2.3`. @default '0.0.1' */
  readonly version?: string;
  /** @default the name of the operator */
  readonly displayName?: string;
  /** @default a sentence with the name of the operator */
  readonly description?: string;
  /** @default the name of the operator */
  readonly provider?: string;
  readonly maintainers?: readonly { readonly name: string; readonly email: string }[];
  readonly keywords?: readonly string[];
  /** Shown by catalogues, as a picture in base64 with its type: `image/svg+xml`, `image/png`, `image/jpeg`, `image/gif`. @default none */
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  /** The channels that the version is published in, by convention candidate, fast, or stable; the first one is the default. @default candidate */
  readonly channels?: readonly string[];
  /** The version that this one replaces: `my-operator.v1.2.2`. @default none */
  readonly replaces?: string;
  /** The oldest Kubernetes that the operator works with. @default 1.28.0 */
  readonly minKubeVersion?: string;
}

/**
 * The value of an environment variable that OLM sets: the namespaces to serve, separated by commas; an empty text for the whole cluster. OLM
 * annotates the pods of the operator, and replaces them when the namespaces change.
 */
export const TARGET_NAMESPACES = { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } } as const;

/** The parts of an operator that a bundle is made of. */
export interface OlmSource {
  readonly place: OperatorPlace;
  readonly permissions: readonly RequiredPermission[];
  readonly deployment: { readonly metadata: { readonly labels: object }; readonly spec: object };
  readonly crds: readonly KubeObject[];
  /** The objects that OLM does not make itself, such as services. */
  readonly others: readonly KubeObject[];
  /**
   * The modes in which OLM may install the operator. An operator that does not get the namespaces that OLM selects serves those of its
   * module, for which only a role for the whole cluster is enough.
   */
  readonly installModes: readonly InstallMode[];
  /** Absent if there are none, or if the operator itself manages their configurations. */
  readonly webhooks?: OperatorWebhooks;
  readonly options: OlmOptions;
}

/** The kinds that a bundle may have beside the CSV and the CRDs, of those that are generated. */
const KINDS = ['Service', 'PodDisruptionBudget', 'ServiceMonitor', 'PrometheusRule'];

/**
 * Makes a bundle of the format `registry+v1`: the ClusterServiceVersion, the CRDs, and the metadata.
 *
 * @throws KopfBootstrapError that names each of the validator's rules that the bundle would break.
 */
export function createOlmBundle(source: OlmSource): Readonly<Record<string, string>> {
  const { place, crds, others, options } = source;
  const csv = createCsv(source);
  const { channels = ['candidate'] } = options;
  const prefix = 'operators.operatorframework.io.bundle';
  const annotations = {
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: 'manifests/',
    [`${prefix}.metadata.v1`]: 'metadata/',
    [`${prefix}.package.v1`]: place.name,
    [`${prefix}.channels.v1`]: channels.join(','),
    [`${prefix}.channel.default.v1`]: channels[0],
  };
  const withoutNamespace = others
    .filter(({ kind = '' }) => KINDS.includes(kind))
    .map((object) => ({ ...object, metadata: { ...object.metadata, namespace: undefined } }));
  const violations = findBundleViolations({ csv, crds, annotations, others: withoutNamespace });
  if (violations.length > 0) throw new KopfBootstrapError(violations);
  const objects = [...crds, ...withoutNamespace.map((object) => JSON.parse(JSON.stringify(object)) as KubeObject)];
  const labels = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}\n`);
  return {
    [`manifests/${place.name}.clusterserviceversion.yaml`]: formatYaml(csv),
    ...Object.fromEntries(
      objects.map((object) => [
        `manifests/${object.metadata.name}.${object.kind?.toLowerCase()}.yaml`,
        formatYaml(object),
      ]),
    ),
    'metadata/annotations.yaml': formatYaml({ annotations }),
    'bundle.Dockerfile': `FROM scratch\n${labels.join('')}COPY manifests /manifests/\nCOPY metadata /metadata/\n`,
  };
}

function createCsv({ place, permissions, deployment, crds, installModes, webhooks, options }: OlmSource): KubeObject {
  const { name } = place;
  const serviceAccountName = accountOf(place);
  const { version = '0.0.1', displayName = name, description = `The operator ${name}.`, provider = name } = options;
  const { maintainers = [], keywords = [], icon, replaces, minKubeVersion = '1.28.0' } = options;
  const own = permissions.filter(({ namespace }) => namespace !== undefined);
  const everywhere = permissions.filter(({ namespace }) => namespace === undefined);
  const grant = (some: readonly RequiredPermission[]): readonly object[] =>
    some.length > 0 ? [{ serviceAccountName, rules: createRules(some).map(({ rule }) => rule) }] : [];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      namespace: 'placeholder',
      annotations: {
        capabilities: 'Basic Install',
        'alm-examples': JSON.stringify(crds.flatMap(createSamples), null, 2),
      },
    },
    spec: {
      displayName,
      description,
      version,
      maturity: 'alpha',
      minKubeVersion,
      ...(replaces !== undefined && { replaces }),
      provider: { name: provider },
      maintainers,
      keywords,
      ...(icon && { icon: [icon] }),
      installModes: INSTALL_MODES.map((type) => ({ type, supported: installModes.includes(type) })),
      customresourcedefinitions: { owned: crds.flatMap(ownedDefinitions) },
      ...(webhooks && { webhookdefinitions: webhookDefinitions(webhooks, name) }),
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [{ name, label: deployment.metadata.labels, spec: deployment.spec }],
          ...(everywhere.length > 0 && { clusterPermissions: grant(everywhere) }),
          ...(own.length > 0 && { permissions: grant(own) }),
        },
      },
    },
  } as KubeObject;
}

interface Crd {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string }[];
}

function ownedDefinitions({ metadata, spec }: KubeObject): readonly object[] {
  const { names, versions } = spec as Crd;
  const { kind } = names;
  return versions.map((version) => ({
    name: metadata.name,
    version: version.name,
    kind,
    displayName: kind,
    description: `An object of the kind ${kind}.`,
  }));
}

/** Catalogues show one example of each version. */
function createSamples({ spec }: KubeObject): readonly object[] {
  const { group, names, versions } = spec as Crd;
  return versions.map(({ name }) => ({
    apiVersion: `${group}/${name}`,
    kind: names.kind,
    metadata: { name: 'example' },
    spec: {},
  }));
}

/** OLM makes the service, the certificate, and the configurations itself; it knows no conditions in CEL. */
function webhookDefinitions(webhooks: OperatorWebhooks, deploymentName: string): readonly object[] {
  const { port, containerPort } = webhooks.address;
  const place = {
    deploymentName,
    containerPort: port,
    ...(containerPort !== undefined && { targetPort: containerPort }),
  };
  return (['validate', 'mutate'] as const).flatMap((kind) =>
    webhooks.ofKind(kind).map(({ name, clientConfig, matchConditions: _, ...webhook }) => ({
      type: kind === 'validate' ? 'ValidatingAdmissionWebhook' : 'MutatingAdmissionWebhook',
      generateName: name,
      ...place,
      ...webhook,
      webhookPath: (clientConfig as WebhookClientConfig).service?.path,
    })),
  );
}
