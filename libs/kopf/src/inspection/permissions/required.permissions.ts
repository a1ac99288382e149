import { parseSelector } from '../../resources/selectors.js';
import type { ResourceSelector } from '../../resources/resource-selector.js';
import { EVERYTHING } from '../../resources/resource-criteria.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { ResourceHandler, TimerHandler } from '../../registry/handler.js';
import type { DeclaredNeeds, OperatorDescription } from '../description/operator.description.js';
import { ServedScope } from '../description/served.scope.js';
import type { KnownResources } from '../description/known.resources.js';
import { addFeaturePermissions } from './feature.permissions.js';
import { PermissionCollector } from './permission.collector.js';
import type { Permission, RequiredPermission } from './permission.js';

/** The permissions of an operator, with the resources that could not be determined. */
export interface RequiredPermissions {
  readonly permissions: readonly RequiredPermission[];
  /** The permissions that the operator tries to use, but works without. */
  readonly optional: readonly Permission[];
  /** The assumptions about resources that are not known, each with what to do about it. */
  readonly warnings: readonly string[];
  /** The handlers and declarations whose resources cannot be found at all. */
  readonly errors: readonly string[];
}

/** A declaration of `@Needs()` for one resource. */
interface ResolvedNeed {
  readonly declared: DeclaredNeeds;
  readonly resource: Resource;
  readonly subresource?: string;
  readonly verbs: readonly string[];
}

/**
 * Derives the permissions of an operator from its handlers, its options, and the declarations by `@Needs()`.
 *
 * @param home the namespace of the operator itself.
 * @param isCertificateForeign whether another component makes the certificate of webhooks. @default false
 */
export function derivePermissions(
  operator: OperatorDescription,
  known: KnownResources,
  home: string,
  isCertificateForeign = false,
): RequiredPermissions {
  return new PermissionDerivation(operator, known, home, isCertificateForeign).derive();
}

/** One derivation of permissions, with its results so far. */
class PermissionDerivation {
  private readonly collector = new PermissionCollector();
  private readonly scope: ServedScope;
  private readonly warnings = new Set<string>();
  private readonly errors = new Set<string>();

  constructor(
    private readonly operator: OperatorDescription,
    private readonly known: KnownResources,
    private readonly home: string,
    private readonly isCertificateForeign: boolean,
  ) {
    this.scope = new ServedScope(operator.options.namespaces);
  }

  derive(): RequiredPermissions {
    const needs = this.operator.needs.flatMap((declared) => this.resolveNeed(declared));
    this.addHandlers(needs);
    for (const need of needs) this.addNeed(need);
    const { operator, scope, home, isCertificateForeign } = this;
    addFeaturePermissions(this.collector, { ...operator, scope, home, isCertificateForeign });
    const { all: permissions } = this.collector;
    const optional = this.scope.isNamespaced ? CRDS : [];
    return { permissions, optional, warnings: [...this.warnings], errors: [...this.errors] };
  }

  private addHandlers(needs: readonly ResolvedNeed[]): void {
    const { handlers } = this.operator;
    const logs = handlers.allSpawning().filter(({ kind }) => kind === 'log');
    const patching = [...handlers.allChanging(), ...handlers.allSpawning().filter(({ kind }) => kind !== 'log')];
    const watching = [...patching, ...logs, ...handlers.allWatching(), ...handlers.allIndexing()];
    for (const handler of watching) {
      for (const resource of this.resourcesOf(handler)) {
        const isPatched = (patching as readonly ResourceHandler[]).includes(handler);
        const purpose = isPatched ? 'to watch and handle objects' : 'to watch objects';
        this.add(resource, isPatched ? ['list', 'watch', 'patch'] : ['list', 'watch'], purpose, handler.source);
        if (!isPatched || !resource.subresources.includes('status')) continue;
        if (needs.some((need) => isExcluded(need, handler, resource, 'status'))) continue;
        this.add(resource, ['patch'], 'to store results in the status', handler.source, 'status');
      }
    }
    for (const handler of watching) this.addRelated(handler);
    for (const handler of patching) this.addOwnership(handler, needs);
    for (const handler of logs) {
      for (const resource of this.resourcesOf(handler)) {
        this.add(resource, ['get'], 'to tell the runs of containers apart', handler.source);
        this.add(resource, ['get'], 'to follow logs', handler.source, 'log');
      }
    }
    if (!this.operator.settings.posting.enabled) return;
    const all = [...watching, ...handlers.allAdmission()];
    const posting = all.filter((handler) => !needs.some((need) => isSilent(need, handler)));
    if (posting.length === 0) return;
    const { namespaces } = this.scope;
    const isBeyond = posting.some((handler) => this.resourcesOf(handler).some(({ namespaced }) => !namespaced));
    // Those about objects without a namespace are posted to this one.
    const places = isBeyond && !namespaces.includes(undefined) ? new Set([...namespaces, 'default']) : namespaces;
    const events = { group: '', resource: 'events', verbs: ['create'], namespaces: [...places] };
    this.collector.add({ ...events, purpose: 'to post events about objects, as posting.enabled is on' });
  }

  /** Adds the permissions for related objects, whose metadata is watched, and which are read by lists of one. */
  private addRelated({ source, parents, relation }: ResourceHandler & Partial<TimerHandler>): void {
    for (const selector of [...(parents?.selectors ?? []), ...(relation?.selectors ?? [])])
      for (const resource of this.find(selector, source))
        this.add(resource, ['list', 'watch'], 'to follow related objects', source);
  }

  /**
   * Adds the permission to set the finalizers of the owner, which some clusters require, as dependants that `adopt()` makes block the
   * deletion of their owner. Calls of `adopt()` cannot be seen, but a class that creates objects declares that.
   */
  private addOwnership(handler: ResourceHandler, needs: readonly ResolvedNeed[]): void {
    const creating = needs.filter((need) => this.isCreating(need, handler));
    const isOfParent = (handler as Partial<TimerHandler & { kind: string }>).kind === 'child';
    if (creating.length === 0 && !isOfParent) return;
    const purpose = 'to make objects dependants that block the deletion of their owner';
    for (const resource of this.resourcesOf(handler)) {
      if (needs.some((need) => isExcluded(need, handler, resource, 'finalizers'))) continue;
      this.add(resource, ['update'], purpose, handler.source, 'finalizers');
    }
  }

  /** Whether a handler may create objects: its class declares that, or a class without handlers, which the handler can call. */
  private isCreating(
    { declared, subresource, resource, verbs }: ResolvedNeed,
    { className }: ResourceHandler,
  ): boolean {
    if (subresource !== undefined || !verbs.includes('create') || resource.plural === 'events') return false;
    const [owner] = declared.source.split('.');
    return owner === className || !this.handlerClasses.has(owner);
  }

  private get handlerClasses(): ReadonlySet<string | undefined> {
    const { handlers } = this.operator;
    const all = [handlers.allWatching(), handlers.allChanging(), handlers.allSpawning(), handlers.allIndexing()];
    return new Set(all.flat().map(({ className }) => className));
  }

  private add(
    { group, plural, namespaced }: Resource,
    verbs: readonly string[],
    purpose: string,
    source: string,
    subresource?: string,
  ): void {
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const namespaces = namespaced ? this.scope.namespaces : [undefined];
    this.collector.add({ group, resource, verbs, namespaces, purpose, sources: [source] });
  }

  private resourcesOf({ selector, source }: ResourceHandler): readonly Resource[] {
    if (selector === undefined) return [];
    if (selector.criteria.anyName === EVERYTHING) return [ANYTHING];
    return this.find(selector, source);
  }

  private find(selector: ResourceSelector, source: string): readonly Resource[] {
    const { resources, isAssumed } = this.known.find(selector);
    const name = String(selector);
    if (resources.length === 0) {
      this.errors.add(`${source}: '${name}' is no resource of Kubernetes; give the CRD of the resource`);
    } else if (selector.isAmbiguous(resources)) {
      const names = resources.map(qualifiedName).join(', ');
      this.errors.add(`${source}: '${name}' can be any of ${names}; add the group to say which`);
      return [];
    } else if (isAssumed) {
      this.warnings.add(
        `'${name}' is not known: it is assumed to be in namespaces, and to have its status as a subresource; give its CRD (${source})`,
      );
    }
    return resources;
  }

  private resolveNeed(declared: DeclaredNeeds): readonly ResolvedNeed[] {
    return Object.entries(declared.permissions).flatMap(([reference, verbs]) => {
      const [name, ...rest] = reference.split('/');
      const subresource = rest.length > 0 ? rest.join('/') : undefined;
      const found = this.find(parseSelector([name]), `${declared.source} (@Needs)`);
      return found.map((resource) => ({ declared, resource, subresource, verbs }));
    });
  }

  private addNeed({ declared, resource: found, subresource, verbs }: ResolvedNeed): void {
    const { names, namespace } = declared.options;
    const { group, plural } = found;
    const served = namespace === undefined ? this.scope.namespaces : [namespace];
    const namespaces = found.namespaced ? served : [undefined];
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const sources = [declared.source];
    this.collector.add({ group, resource, verbs, names, namespaces, purpose: 'as @Needs declares', sources });
  }
}

/** The permissions to watch CRDs. An operator of named namespaces works without them, as it scans the resources periodically. */
const CRDS: readonly Permission[] = ['list', 'watch'].map((verb) => ({
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  verb,
}));

/** The placeholder of all resources, for handlers of `EVERYTHING`. */
const ANYTHING: Resource = {
  group: '*',
  version: '*',
  plural: '*',
  singular: '*',
  kind: '*',
  shortNames: [],
  categories: [],
  subresources: ['status'],
  namespaced: true,
  preferred: true,
  verbs: [],
};

/** Whether the handler, or its class, declares that it does not write the subresource. */
function isExcluded(need: ResolvedNeed, handler: ResourceHandler, resource: Resource, subresource: string): boolean {
  const isOfResource = need.resource.group === resource.group && need.resource.plural === resource.plural;
  return isOfResource && need.subresource === subresource && isDenial(need, handler);
}

/** Whether the handler, or its class, declares that it posts no events. */
function isSilent(need: ResolvedNeed, handler: ResourceHandler): boolean {
  return need.resource.group === '' && need.resource.plural === 'events' && isDenial(need, handler);
}

function isDenial({ verbs, declared }: ResolvedNeed, { source, className }: ResourceHandler): boolean {
  return verbs.length === 0 && (declared.source === source || declared.source === className);
}
