import type { KubeObject } from '../../objects/kube-object.js';
import { ResourceSelector } from '../../resources/resource-selector.js';
import type { Resource } from '../../resources/resources.js';
import { BUILTIN_RESOURCES } from './builtin.resources.data.js';

/** The pattern of names that can only be plurals: lower-case letters, digits, and dashes. */
const PLURAL = /^[a-z][a-z0-9-]*$/;

/** The resources that a selector matches. */
export interface FoundResources {
  readonly resources: readonly Resource[];
  /** Whether nothing is known of the resource but its name. */
  readonly isAssumed: boolean;
}

/** The parts of a CRD that say which resources it makes. */
interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: {
    readonly plural: string;
    readonly singular?: string;
    readonly kind: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly subresources?: object;
  }[];
}

/** The resources that are known without a cluster: those of Kubernetes itself, and those of CRDs that are given. */
export class KnownResources {
  readonly all: readonly Resource[];

  /** @param found resources that the cluster is known to have. */
  constructor(crds: readonly KubeObject[] = [], found: readonly Resource[] = []) {
    this.all = [...found, ...parseBuiltins(), ...crds.flatMap(readCrd)];
  }

  /**
   * Finds the resources that a selector matches, in any version. A resource that is not known, but is named by its plural and its group, is
   * assumed to be in namespaces, and to have its status as a subresource.
   */
  find(selector: ResourceSelector): FoundResources {
    const { version: _version, ...criteria } = selector.criteria;
    const found = selector.select(this.all);
    const resources = found.length > 0 ? found : new ResourceSelector(criteria).select(this.all);
    if (resources.length > 0) return { resources: oneOfEach(resources), isAssumed: false };
    const { group, version = 'v1' } = selector.criteria;
    const plural = criteria.plural ?? criteria.anyName;
    if (group === undefined || typeof plural !== 'string' || !PLURAL.test(plural)) {
      return { resources: [], isAssumed: false };
    }
    return { resources: [assume(group, version, plural)], isAssumed: true };
  }
}

/** Returns each resource in one version, as RBAC has no versions. */
function oneOfEach(resources: readonly Resource[]): readonly Resource[] {
  return [...new Map(resources.map((each) => [`${each.plural}.${each.group}`, each])).values()];
}

function assume(group: string, version: string, plural: string): Resource {
  const names = { plural, singular: plural, kind: plural, shortNames: [], categories: [] };
  return { group, version, ...names, subresources: ['status'], namespaced: true, preferred: true, verbs: [] };
}

function parseBuiltins(): readonly Resource[] {
  const split = (text: string): readonly string[] => (text === '-' ? [] : text.split(','));
  return BUILTIN_RESOURCES.trim()
    .split('\n')
    .map((line): Resource => {
      const [apiVersion, plural, singular, kind, scope, shortNames, categories, subresources] = line.split(' ');
      const [version, group = ''] = apiVersion.split('/').reverse();
      const names = { plural, singular, kind, shortNames: split(shortNames), categories: split(categories) };
      const namespaced = scope === 'Namespaced';
      return { group, version, ...names, subresources: split(subresources), namespaced, preferred: true, verbs: [] };
    });
}

function readCrd({ spec }: KubeObject): readonly Resource[] {
  const { group, scope, names, versions } = spec as CustomResourceDefinitionSpec;
  const { plural, kind, singular = kind.toLowerCase(), shortNames = [], categories = [] } = names;
  const served = versions.filter((version) => version.served);
  return served.map(({ name, subresources = {} }, index) => ({
    group,
    version: name,
    plural,
    singular,
    kind,
    shortNames,
    categories,
    subresources: Object.keys(subresources),
    namespaced: scope === 'Namespaced',
    preferred: index === 0,
    verbs: [],
  }));
}
