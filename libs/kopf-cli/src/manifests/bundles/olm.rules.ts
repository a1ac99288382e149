import type { KubeObject } from 'nestjs-kopf';

/** Which namespaces OLM can want an operator to serve: its own, one other, several, or the whole cluster. */
export const INSTALL_MODES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'] as const;

export type InstallMode = (typeof INSTALL_MODES)[number];

/** A bundle as far as the rules are concerned. */
export interface ValidatedBundle {
  readonly csv: KubeObject;
  readonly crds: readonly KubeObject[];
  readonly annotations: Readonly<Record<string, string>>;
  /** The other objects of the bundle. @default none */
  readonly others?: readonly KubeObject[];
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** The greatest length of names of versions, as they are also values of labels. */
const LONGEST_NAME = 63;
const PACKAGE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-.]+)?(\+[0-9A-Za-z-.]+)?$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;
const ANNOTATIONS = ['mediatype', 'manifests', 'metadata', 'package', 'channels'];

/** Finds what the validator of the Operator Framework would reject, as texts that name the field. */
export function findBundleViolations({ csv, crds, annotations, others = [] }: ValidatedBundle): readonly string[] {
  const spec = csv.spec as CsvSpec;
  const prefix = 'operators.operatorframework.io.bundle';
  const packageName = annotations[`${prefix}.package.v1`] ?? '';
  return [
    ...ANNOTATIONS.filter((key) => !annotations[`${prefix}.${key}.v1`]).map(
      (key) => `metadata/annotations.yaml: ${prefix}.${key}.v1 is missing`,
    ),
    ...check(
      PACKAGE.test(packageName),
      `metadata/annotations.yaml: the package '${packageName}' is no name of a label`,
    ),
    ...check(NAME.test(csv.metadata.name ?? ''), `metadata.name: '${csv.metadata.name}' is no name of an object`),
    ...[csv.metadata.name, spec.replaces].flatMap((name = '') =>
      check(name.length <= LONGEST_NAME, `the name '${name}' is longer than ${LONGEST_NAME} characters`),
    ),
    ...check(VERSION.test(spec.version), `spec.version: '${spec.version}' is no version such as 1.2.3`),
    ...check(
      csv.metadata.name === `${packageName}.v${spec.version}`,
      `metadata.name: '${csv.metadata.name}' must be the package and the version: ${packageName}.v${spec.version}`,
    ),
    ...check(
      VERSION.test(spec.minKubeVersion),
      `spec.minKubeVersion: '${spec.minKubeVersion}' is no version such as 1.28.0`,
    ),
    ...['displayName', 'description'].flatMap((key) =>
      check(Boolean((csv.spec as Record<string, unknown>)[key]), `spec.${key}: is missing`),
    ),
    ...check(Boolean(spec.provider.name), 'spec.provider.name: is missing'),
    ...spec.maintainers.flatMap(({ name, email }, index) =>
      check(
        Boolean(name) && EMAIL.test(email),
        `spec.maintainers[${index}]: needs a name and an address of electronic mail`,
      ),
    ),
    ...findModeViolations(spec),
    ...check(spec.install.strategy === 'deployment', 'spec.install.strategy: must be deployment'),
    ...check(spec.install.spec.deployments.length > 0, 'spec.install.spec.deployments: there is none'),
    ...findCrdViolations(spec, crds),
    ...check(spec.version !== '0.0.0', 'spec.version: 0.0.0 stands for none'),
    ...findReplacedViolations(spec),
    ...findSampleViolations(csv),
    ...findWebhookViolations(spec),
    ...findObjectViolations(spec, others),
  ];
}

interface CsvSpec {
  readonly version: string;
  readonly minKubeVersion: string;
  readonly provider: { readonly name: string };
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
  readonly replaces?: string;
  readonly install: { readonly strategy: string; readonly spec: { readonly deployments: readonly CsvDeployment[] } };
  readonly webhookdefinitions?: readonly {
    readonly generateName: string;
    readonly deploymentName: string;
    readonly conversionCRDs?: readonly string[];
  }[];
  readonly customresourcedefinitions: {
    readonly owned: readonly { readonly name: string; readonly version: string; readonly kind: string }[];
  };
}

interface CsvDeployment {
  readonly name: string;
  readonly spec: { readonly template: { readonly spec: { readonly serviceAccountName: string } } };
}

function findModeViolations({ installModes }: CsvSpec): readonly string[] {
  const types = installModes.map(({ type }) => type);
  return [
    ...check(
      types.length === INSTALL_MODES.length && INSTALL_MODES.every((mode) => types.includes(mode)),
      `spec.installModes: must have each of ${INSTALL_MODES.join(', ')} once`,
    ),
    ...check(
      installModes.some(({ supported }) => supported),
      'spec.installModes: none is supported',
    ),
  ];
}

function findCrdViolations(
  { customresourcedefinitions: { owned } }: CsvSpec,
  crds: readonly KubeObject[],
): readonly string[] {
  const keysOf = ({ metadata, spec }: KubeObject): readonly string[] => {
    const { names, versions } = spec as { names: { kind: string }; versions: readonly { name: string }[] };
    return versions.map(({ name }) => `${metadata.name}/${name}/${names.kind}`);
  };
  const present = crds.flatMap(keysOf);
  const named = owned.map(({ name, version, kind }) => `${name}/${version}/${kind}`);
  return [
    ...named
      .filter((key, index) => named.indexOf(key) !== index)
      .map((key) => `spec.customresourcedefinitions.owned: ${key} is there twice`),
    ...named
      .filter((key) => !present.includes(key))
      .map((key) => `spec.customresourcedefinitions.owned: the bundle has no CRD ${key}`),
    ...present
      .filter((key) => !named.includes(key))
      .map((key) => `spec.customresourcedefinitions.owned: the CRD ${key} of the bundle is missing`),
  ];
}

function findSampleViolations({ metadata, spec }: KubeObject): readonly string[] {
  const text = metadata.annotations?.['alm-examples'];
  if (text === undefined) return [];
  try {
    const samples = JSON.parse(text) as readonly { readonly apiVersion: string; readonly kind: string }[];
    if (!Array.isArray(samples)) return ['metadata.annotations.alm-examples: is no list'];
    const { owned } = (spec as CsvSpec).customresourcedefinitions;
    const provided = owned.map(({ name, version, kind }) => `${name.slice(name.indexOf('.') + 1)}/${version} ${kind}`);
    const foreign = samples
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
      .filter((key) => !provided.includes(key));
    return foreign.map((key) => `metadata.annotations.alm-examples: ${key} is no resource of the operator`);
  } catch {
    return ['metadata.annotations.alm-examples: is no JSON'];
  }
}

function findReplacedViolations({ replaces }: CsvSpec): readonly string[] {
  if (replaces === undefined) return [];
  const [, version = ''] = /^[^.]+\.v?(.+)$/.exec(replaces) ?? [];
  return check(
    NAME.test(replaces) && VERSION.test(version),
    `spec.replaces: '${replaces}' must be a package and a version: my-operator.v1.2.2`,
  );
}

function findWebhookViolations({
  webhookdefinitions = [],
  install,
  installModes,
  ...spec
}: CsvSpec): readonly string[] {
  const deployments = install.spec.deployments.map(({ name }) => name);
  const isEverywhere = installModes.every(({ type, supported }) => supported === (type === 'AllNamespaces'));
  const owned = spec.customresourcedefinitions.owned.map(({ name }) => name);
  const names = webhookdefinitions.map(({ generateName }) => generateName);
  return [
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `spec.webhookdefinitions: ${name} is there twice`),
    ...webhookdefinitions.flatMap(({ generateName, deploymentName, conversionCRDs = [] }) => [
      ...check(
        deployments.includes(deploymentName),
        `spec.webhookdefinitions: ${generateName} has no deployment '${deploymentName}'`,
      ),
      ...check(
        conversionCRDs.length === 0 || isEverywhere,
        `spec.webhookdefinitions: ${generateName} converts objects, for which only AllNamespaces may be supported`,
      ),
      ...conversionCRDs
        .filter((crd) => !owned.includes(crd))
        .map((crd) => `spec.webhookdefinitions: ${generateName} converts ${crd}, which the operator does not own`),
    ]),
  ];
}

function findObjectViolations({ install }: CsvSpec, others: readonly KubeObject[]): readonly string[] {
  const accounts = install.spec.deployments.map(({ spec }) => spec.template.spec.serviceAccountName);
  return others.flatMap(({ kind, metadata, spec }) => {
    const { maxUnavailable, minAvailable } = (spec ?? {}) as Readonly<Record<string, unknown>>;
    const isBudget = kind === 'PodDisruptionBudget';
    return [
      ...check(
        kind !== 'ServiceAccount' || !accounts.includes(metadata.name!),
        `ServiceAccount ${metadata.name}: OLM makes the account of the deployment`,
      ),
      ...check(
        !isBudget || (maxUnavailable !== 0 && maxUnavailable !== '0%'),
        `PodDisruptionBudget ${metadata.name}: spec.maxUnavailable must not be ${String(maxUnavailable)}`,
      ),
      ...check(
        !isBudget || minAvailable !== '100%',
        `PodDisruptionBudget ${metadata.name}: spec.minAvailable must not be 100%`,
      ),
    ];
  });
}

function check(isRight: boolean, violation: string): readonly string[] {
  return isRight ? [] : [violation];
}
