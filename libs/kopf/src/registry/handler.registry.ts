// registry: the handlers of the application, the filters that decide for which objects they are, and the selection of handlers for a cause.
// Handlers are plain data with a function to call; discovery/ adds them at the start, and whenever the application asks for it.
// May import: what is public or pure: common, objects, resources, state, contexts, decorators.

import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import {
  type ActivityKind,
  deduplicate,
  type ActivityHandler,
  type AdmissionHandler,
  type BackgroundHandler,
  type ChangingHandler,
  type ConversionHandler,
  type Handler,
  type IndexingHandler,
  type ResourceHandler,
  type TimerHandler,
  type WatchingHandler,
  type HandlerDescription,
} from './handler.js';
import type { HandlerRegistrar } from './handler.registrar.js';
import type { Resource } from '../resources/resources.js';
import type { MetadataObserver } from '../relations/metadata.observer.js';
import type { ResourceDeclaration } from '../resources/object-class.js';
import type { FieldPath } from '../objects/field-path.js';
import { ObjectSelector } from '../resources/object-selector.js';
import type { ResourceSelector } from '../resources/resource-selector.js';

/** The handlers of one resource, looked up once. */
export interface ResourceHandlers {
  readonly watching: readonly WatchingHandler[];
  readonly changing: readonly ChangingHandler[];
  /** Daemons and timers. */
  readonly spawning: readonly BackgroundHandler[];
  readonly indexing: readonly IndexingHandler[];
  /** The handlers of changes without repetitions, whose progress is stored. */
  readonly owned: readonly ChangingHandler[];
  /** The fields that handlers filter by, which therefore belong to the essence. */
  readonly extraFields: readonly FieldPath[];
  /** Whether any timer needs to know when an object's essence changes. */
  readonly hasIdling: boolean;
  /** The conditions that all handlers have in common: only such objects are watched, and the handlers do not check them again. */
  readonly commonSelector: ObjectSelector | undefined;
}

/** The handlers that have come or gone while the operator may run. */
export interface RegistryChange {
  readonly added: readonly RegisteredHandler[];
  readonly removed: readonly RegisteredHandler[];
}

/** Any handler of the registry. Those of objects have a selector. */
export type RegisteredHandler = Handler & Partial<Pick<ResourceHandler, 'selector'>>;

/** The registry of all handlers of the operator: those found when the application starts, and those added or removed later. */
@Injectable()
export class HandlerRegistry {
  /** The maker of handlers that the application adds; absent until its modules are initialised. */
  registrar?: HandlerRegistrar;
  /** Emits when handlers are added or removed after the start of the application. */
  readonly changes$ = new Subject<RegistryChange>();
  /** The selectors of removed handlers whose objects may still be held by the finalizer. */
  private readonly retired = new Set<ResourceSelector>();
  private readonly activities: ActivityHandler[] = [];
  private readonly watching: WatchingHandler[] = [];
  private readonly changing: ChangingHandler[] = [];
  private readonly spawning: BackgroundHandler[] = [];
  private readonly indexing: IndexingHandler[] = [];
  private readonly admission: AdmissionHandler[] = [];
  private readonly conversions: ConversionHandler[] = [];
  private lookups = new WeakMap<Resource, ResourceHandlers>();

  addActivity(handler: ActivityHandler): void {
    this.activities.push(handler);
  }

  addWatching(handler: WatchingHandler): void {
    this.watching.push(handler);
  }

  addChanging(handler: ChangingHandler): void {
    this.changing.push(handler);
  }

  addSpawning(handler: BackgroundHandler): void {
    this.spawning.push(handler);
  }

  addIndexing(handler: IndexingHandler): void {
    this.indexing.push(handler);
  }

  addAdmission(handler: AdmissionHandler): void {
    this.admission.push(handler);
  }

  addConversion(handler: ConversionHandler): void {
    this.conversions.push(handler);
  }

  /** Returns all handlers of all kinds. */
  all(): readonly RegisteredHandler[] {
    return this.lists.flat();
  }

  /** Emits that handlers were added after the start of the application. */
  publishAdded(added: readonly RegisteredHandler[]): void {
    this.lookups = new WeakMap();
    this.changes$.next({ added, removed: [] });
  }

  /** Removes handlers, and emits the change. Their resources are watched until {@link release}, so that their finalizers are removed. */
  remove(removed: readonly RegisteredHandler[]): void {
    this.discard(removed);
    for (const { selector } of removed) if (selector) this.retired.add(selector);
    this.changes$.next({ added: [], removed });
  }

  /** Removes handlers that were never in use, without emitting a change. */
  discard(handlers: readonly RegisteredHandler[]): void {
    const gone = new Set<unknown>(handlers);
    for (const list of this.lists) list.splice(0, list.length, ...list.filter((handler) => !gone.has(handler)));
    this.lookups = new WeakMap();
  }

  /** Whether any resource is watched only to remove finalizers of removed handlers. */
  get hasRetired(): boolean {
    return this.retired.size > 0;
  }

  /** Whether a resource is watched because of removed handlers, among others. */
  isRetired(resource: Resource): boolean {
    return [...this.retired].some((selector) => selector.check(resource));
  }

  /** Ends the watching of resources of removed handlers, unless other handlers need it. */
  release(): void {
    this.retired.clear();
  }

  private get lists(): readonly RegisteredHandler[][] {
    const { activities, watching, changing, spawning, indexing, admission, conversions } = this;
    return [activities, watching, changing, spawning, indexing, admission, conversions];
  }

  allWatching(): readonly WatchingHandler[] {
    return this.watching;
  }

  allChanging(): readonly ChangingHandler[] {
    return this.changing;
  }

  allSpawning(): readonly BackgroundHandler[] {
    return this.spawning;
  }

  allIndexing(): readonly IndexingHandler[] {
    return this.indexing;
  }

  allAdmission(): readonly AdmissionHandler[] {
    return this.admission;
  }

  allConversions(): readonly ConversionHandler[] {
    return this.conversions;
  }

  /** Returns the admission handlers of a resource. */
  admissionOf(resource: Resource): readonly AdmissionHandler[] {
    return this.admission.filter(({ selector }) => selector?.check(resource));
  }

  /** Returns the handlers of an activity. */
  activitiesOf(activity: ActivityKind): readonly ActivityHandler[] {
    return deduplicate(this.activities.filter((handler) => handler.activity === activity));
  }

  /** Returns the relations and parent look-ups of all handlers, which observe the metadata of related objects. */
  relatedObservers(): readonly MetadataObserver[] {
    const handlers: readonly ResourceHandler[] = [
      ...this.watching,
      ...this.changing,
      ...this.spawning,
      ...this.indexing,
    ];
    const found = handlers.flatMap(({ parents, relation }: ResourceHandler & Partial<TimerHandler>) => [
      parents,
      relation,
    ]);
    return [...new Set(found.filter((observer) => observer !== undefined))];
  }

  /** Checks whether any handler of a resource requires parents that one of the observers finds. */
  hasParentsIn(resource: Resource, observers: ReadonlySet<MetadataObserver>): boolean {
    const { watching, changing, spawning, indexing } = this.handlersOf(resource);
    const handlers: readonly ResourceHandler[] = [...watching, ...changing, ...spawning, ...indexing];
    return handlers.some(({ parents }) => parents !== undefined && observers.has(parents));
  }

  /** Returns the handlers of a resource, by all their selectors. */
  handlersOf(resource: Resource): ResourceHandlers {
    let found = this.lookups.get(resource);
    if (!found) {
      found = this.lookUp(resource);
      this.lookups.set(resource, found);
    }
    return found;
  }

  /** Returns the selectors of all handlers whose objects are watched, without repetitions. */
  selectors(): readonly ResourceSelector[] {
    const retired = [...this.retired].map((selector) => ({ selector }));
    return selectorsOf([...this.watching, ...this.changing, ...this.spawning, ...this.indexing, ...retired]);
  }

  /** Returns the selectors of the admission handlers, without repetitions; their resources need not be watched. */
  admissionSelectors(): readonly ResourceSelector[] {
    return selectorsOf(this.admission);
  }

  /** Returns the methods whose decorators have the selector: for the objects that they handle, or for related ones. */
  sourcesOf(selector: ResourceSelector): readonly string[] {
    const key = keyOf(selector);
    const handlers = [...this.watching, ...this.changing, ...this.spawning, ...this.indexing];
    return namesOf(handlers.filter((handler) => handler.selector && keyOf(handler.selector) === key));
  }

  /** Returns the methods of admission handlers with the selector. */
  admissionSourcesOf(selector: ResourceSelector): readonly string[] {
    const key = keyOf(selector);
    return namesOf(this.admission.filter((handler) => handler.selector && keyOf(handler.selector) === key));
  }

  /** Returns the methods that have the selector for parents, children, or referents. */
  relatedSourcesOf(selector: ResourceSelector): readonly string[] {
    const key = keyOf(selector);
    const handlers: readonly (ResourceHandler & Partial<TimerHandler>)[] = [
      ...this.watching,
      ...this.changing,
      ...this.spawning,
      ...this.indexing,
    ];
    return namesOf(
      handlers.filter(({ parents, relation }) =>
        [parents, relation].some((observer) => observer?.selectors.some((other) => keyOf(other) === key)),
      ),
    );
  }

  /** Returns the methods that convert objects of a CRD. */
  conversionSourcesOf(definition: string): readonly string[] {
    return namesOf(this.conversions.filter((handler) => handler.definition === definition));
  }

  /** Returns the selectors of children, parents, and referents, without repetitions. */
  relatedSelectors(): readonly ResourceSelector[] {
    const selectors = this.relatedObservers().flatMap((observer) => observer.selectors);
    return [...new Map(selectors.map((selector) => [keyOf(selector), selector])).values()];
  }

  /** Returns the classes that handlers are declared for, without repetitions. */
  declarations(): readonly ResourceDeclaration[] {
    const handlers = [...this.watching, ...this.changing, ...this.spawning, ...this.indexing, ...this.admission];
    const declared = handlers.flatMap(({ selector }) => (selector?.declaration ? [selector.declaration] : []));
    return [...new Set([...declared, ...this.conversions.flatMap(({ declarations }) => declarations)])];
  }

  /** Checks whether handlers of the resource need to patch its objects. */
  requiresPatching(resource: Resource): boolean {
    const { changing, spawning } = this.handlersOf(resource);
    return changing.length > 0 || spawning.some(({ kind }) => kind !== 'log');
  }

  /** Checks whether a resource has handlers that are called for events of its objects, so that its objects can have memos. */
  isHandled(resource: Resource): boolean {
    const { watching, changing, spawning, indexing } = this.handlersOf(resource);
    return [watching, changing, spawning, indexing].some(({ length }) => length > 0);
  }

  /**
   * Describes the handlers, without a cluster.
   *
   * @param isWanted whether a handler is among those to describe. @default all of them
   */
  describe(isWanted: (handler: ResourceHandler) => boolean = () => true): readonly HandlerDescription[] {
    const describe =
      (kind: HandlerDescription['kind']) =>
      (handler: Handler & Partial<ChangingHandler> & Partial<Omit<AdmissionHandler, 'kind'>>) => ({
        kind,
        id: handler.id,
        source: handler.source,
        ...(handler.selector && { selector: String(handler.selector) }),
        ...relatedOf(handler),
        ...(handler.reason && { reason: handler.reason }),
        ...(handler.operations && { operations: handler.operations }),
        ...(handler.subresource && { subresource: handler.subresource }),
      });
    return [
      ...this.activities.filter(isWanted).map(describe('activity')),
      ...this.watching.filter(isWanted).map(describe('watching')),
      ...this.changing.filter(isWanted).map(describe('changing')),
      ...this.spawning.filter(isWanted).map((handler) => describe(handler.kind)(handler)),
      ...this.indexing.filter(isWanted).map(describe('index')),
      ...this.admission.filter(isWanted).map((handler) => describe(handler.kind)(handler)),
      ...this.conversions.filter(isWanted).map((handler) => {
        const { definition: selector, from, to } = handler;
        return { ...describe('convert')(handler), selector, from, to };
      }),
    ];
  }

  private lookUp(resource: Resource): ResourceHandlers {
    const isFor = ({ selector }: ResourceHandler): boolean => selector?.check(resource) ?? false;
    const commonSelector = ObjectSelector.common(
      [...this.watching, ...this.changing, ...this.spawning, ...this.indexing]
        .filter(isFor)
        .map((handler) => handler.objectSelector),
    );
    const pick = <H extends ResourceHandler>(handlers: readonly H[]): readonly H[] => {
      const found = handlers.filter(isFor);
      return commonSelector
        ? found.map((handler) => ({
            ...handler,
            objectSelector: handler.objectSelector?.beyond(commonSelector),
            isSelectedByWatch: true,
          }))
        : found;
    };
    const watching = pick(this.watching);
    const changing = pick(this.changing);
    const fields = new Map<string, FieldPath>();
    const spawning = pick(this.spawning);
    const indexing = deduplicate(pick(this.indexing));
    const hasIdling = spawning.some((handler) => handler.kind === 'timer' && handler.idle !== undefined);
    for (const { field } of [...watching, ...changing, ...spawning])
      if (field) fields.set(JSON.stringify(field), field);
    const extraFields = [...fields.values()];
    const owned = deduplicate(changing);
    return { watching, changing, spawning, indexing, owned, extraFields, hasIdling, commonSelector };
  }
}

function relatedOf({ parents, relation }: Handler & Partial<TimerHandler>): { related?: readonly string[] } {
  const selectors = [...(parents?.selectors ?? []), ...(relation?.selectors ?? [])];
  return selectors.length > 0 ? { related: selectors.map(String) } : {};
}

function selectorsOf(handlers: readonly Pick<ResourceHandler, 'selector'>[]): readonly ResourceSelector[] {
  const found = new Map<unknown, ResourceSelector>();
  for (const { selector } of handlers) {
    if (selector && !found.has(keyOf(selector))) found.set(keyOf(selector), selector);
  }
  return [...found.values()];
}

/** Returns the same key for selectors with the same criteria. A predicate is compared by its identity. */
function keyOf(selector: ResourceSelector): unknown {
  return selector.criteria.predicate ?? String(selector);
}

function namesOf(handlers: readonly Handler[]): readonly string[] {
  return [...new Set(handlers.map(({ source }) => source))];
}
