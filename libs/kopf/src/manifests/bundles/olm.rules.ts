import type { KubeObject } from '../../objects/kube-object.js';

/** A bundle as far as the rules are concerned. */
export interface ValidatedBundle {
  readonly csv: KubeObject;
  readonly crds: readonly KubeObject[];
  readonly annotations: Readonly<Record<string, string>>;
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const PACKAGE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z-.]+)?(\+[0-9A-Za-z-.]+)?$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;
const MODES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
const ANNOTATIONS = ['mediatype', 'manifests', 'metadata', 'package', 'channels'];

/** Finds what the validator of the Operator Framework would reject, as texts that name the field. */
export function findBundleViolations({ csv, crds, annotations }: ValidatedBundle): readonly string[] {
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
    ...findSampleViolations(csv),
  ];
}

interface CsvSpec {
  readonly version: string;
  readonly minKubeVersion: string;
  readonly provider: { readonly name: string };
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
  readonly install: { readonly strategy: string; readonly spec: { readonly deployments: readonly object[] } };
  readonly customresourcedefinitions: {
    readonly owned: readonly { readonly name: string; readonly version: string; readonly kind: string }[];
  };
}

function findModeViolations({ installModes }: CsvSpec): readonly string[] {
  const types = installModes.map(({ type }) => type);
  return [
    ...check(
      types.length === MODES.length && MODES.every((mode) => types.includes(mode)),
      `spec.installModes: must have each of ${MODES.join(', ')} once`,
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

function findSampleViolations({ metadata }: KubeObject): readonly string[] {
  const text = metadata.annotations?.['alm-examples'];
  if (text === undefined) return [];
  try {
    return check(Array.isArray(JSON.parse(text)), 'metadata.annotations.alm-examples: is no list');
  } catch {
    return ['metadata.annotations.alm-examples: is no JSON'];
  }
}

function check(isRight: boolean, violation: string): readonly string[] {
  return isRight ? [] : [violation];
}
