// discovery: how decorated methods become handlers at the start of the application: found among the providers, validated, and added
// to the registry. If anything is wrong with them, the start ends with one error that names all of it. Nothing else knows Nest's
// internals.
// May import: decorators, parameters, registry, and whatever is needed to validate declarations: indexing, admission.

import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { HandlerOptions } from '../decorators/handler-options.js';
import { errorHandlerOf } from '../decorators/on-error.decorator.js';
import { ErrorHandling } from './error-handling.js';
import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { findNameViolations } from '../admission/configuration/webhooks.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { errorText } from '../common/texts.js';
import { HandlerContextCreator } from './handler-context.creator.js';
import { registerHandler, type DecoratedMethod } from './handler.factory.js';
import { findLostOverride, findUselessPipes } from './handler.warnings.js';
import { findIdConflicts } from './id-conflicts.js';
import { findIdPrefix } from './id-prefix.js';
import { OperatorAssignment } from './operator.assignment.js';
import { findHandlerOptionViolations } from './option-rules.js';
import type { InstanceWrapper } from './nest.internals.js';
import { findParameterViolations } from './parameter-rules.js';

/** What is explored at a time: at the start, or when a module was loaded lazily. */
interface Exploration {
  /** Takes the handlers. */
  readonly registry: HandlerRegistry;
  /** Tells whether the operator has started before. */
  readonly isLate: boolean;
  readonly warnings: Set<string>;
}

const MISSED =
  'it is never called, as the operator has started without it; import the module where the application starts';
const NOT_RESUMED =
  'it is not called for objects that the operator has handled already; import the module where the application starts if it must be';

/** What handlers of some kinds miss that come when the operator has started. */
const LATE: Partial<Record<HandlerKind, string>> = {
  startup: MISSED,
  validate: MISSED,
  mutate: MISSED,
  convert: MISSED,
  resume: NOT_RESUMED,
};

/** A class with decorated methods. */
type DecoratedClass = { readonly prototype: object };

/** Finds the operator's handlers on the application's providers and controllers, and adds them to the registry. */
@Injectable()
export class HandlerExplorer {
  private readonly errors = new ErrorHandling();
  /** The instances and classes that were explored. */
  private readonly explored = new WeakSet<object>();

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(OperatorAssignment) private readonly assignment: OperatorAssignment,
    @Inject(HandlerContextCreator) private readonly contexts: HandlerContextCreator,
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(IndexRegistry) private readonly indices: IndexRegistry,
    @Inject(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /**
   * Explores the whole application.
   *
   * @returns warnings of what is possible, but hardly meant, each with what to do.
   * @throws KopfBootstrapError that names every error with its class, method, and option.
   */
  explore(): readonly string[] {
    const { registry } = this;
    const { violations, warnings } = this.exploreWrappers({ registry, isLate: false });
    violations.unshift(...this.assignment.findNameConflicts());
    violations.push(...findIdConflicts(registry), ...this.declareIndices(), ...this.findMisnamedWebhooks());
    if (violations.length > 0) throw new KopfBootstrapError(violations);
    return [...warnings];
  }

  /**
   * Explores what has come since the application was explored: modules that were loaded lazily.
   *
   * @param isStarted whether the operator has started, so that some kinds of handlers come too late.
   * @returns warnings, also of each handler that comes too late.
   * @throws KopfBootstrapError as {@link explore} does; none of the handlers is added then.
   */
  exploreLate(isStarted: boolean): readonly string[] {
    const found = new HandlerRegistry();
    const { violations, warnings } = this.exploreWrappers({ registry: found, isLate: isStarted });
    const all = new HandlerRegistry();
    for (const registry of [this.registry, found]) all.addAll(registry);
    violations.push(...findIdConflicts(all), ...this.declareIndices(all));
    if (violations.length > 0) throw new KopfBootstrapError(violations);
    if (found.describe().length > 0) this.registry.addAll(found);
    return [...warnings];
  }

  private exploreWrappers(target: Pick<Exploration, 'registry' | 'isLate'>) {
    const warnings = new Set<string>();
    const violations: string[] = [];
    const exploration = { ...target, warnings };
    for (const [identity, wrapper] of this.listWrappers()) {
      if (this.explored.has(identity)) continue;
      this.explored.add(identity);
      violations.push(...this.exploreWrapper(wrapper, exploration));
    }
    return { violations, warnings };
  }

  /**
   * Lists each instance once: an alias or a re-exported provider is the same object under another token. Of several, it is the one that has
   * created the instance, as its module decides on the ids.
   */
  private listWrappers(): Iterable<[object, InstanceWrapper]> {
    const found = new Map<object, InstanceWrapper>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const identity: unknown = isSingleton(wrapper) ? wrapper.instance : wrapper.metatype;
      if (!isObject(identity)) continue;
      const known = found.get(identity);
      if (!known || (isInjected(known) && !isInjected(wrapper))) found.set(identity, wrapper);
    }
    return found;
  }

  private declareIndices(registry = this.registry): readonly string[] {
    const unknown = this.indices.declare(registry.allIndexing().map(({ id }) => id));
    return unknown.map((name) => `the index '${name}' is injected, but no method has @Index() with this name`);
  }

  private findMisnamedWebhooks(): readonly string[] {
    const { managed } = this.settings.admission;
    return managed ? findNameViolations(this.registry.allAdmission(), managed) : [];
  }

  private exploreWrapper(wrapper: InstanceWrapper, exploration: Exploration): readonly string[] {
    const { warnings } = exploration;
    const isStatic = isSingleton(wrapper);
    const prototype: unknown = isStatic
      ? wrapper.instance && Object.getPrototypeOf(wrapper.instance)
      : (wrapper.metatype as { prototype?: unknown } | null)?.prototype;
    if (typeof prototype !== 'object' || prototype === null || !this.assignment.hasHandlers(prototype)) return [];
    const className = (prototype as { constructor?: { name?: string } }).constructor?.name ?? 'Object';
    const spoilt = this.assignment.findSpoilt(prototype);
    const found = this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
      const { handlers, violations } = this.assignment.assign(prototype, methodName);
      if (handlers.length === 0) {
        const warning = findLostOverride(prototype, methodName, this.assignment);
        if (warning) warnings.add(warning);
        return violations;
      }
      const { idPrefix, violation } = findIdPrefix(wrapper);
      if (violation) return [`${className}.${methodName}: ${violation}`];
      const source = `${className}.${methodName}`;
      if (wrapper.isTransient) {
        return [`${source}: ${className} is transient, so it is not clear which instance to call; make it a singleton`];
      }
      const type = prototype.constructor as DecoratedClass;
      const instance = isStatic ? (wrapper.instance as object) : undefined;
      const method = { instance, methodName, className, source, idPrefix };
      for (const warning of findUselessPipes(type, method)) warnings.add(warning);
      return [...violations, ...this.exploreMethod(wrapper, type, method, handlers, exploration)];
    });
    return [...spoilt, ...found];
  }

  private exploreMethod(
    wrapper: InstanceWrapper,
    type: DecoratedClass,
    method: Omit<DecoratedMethod, 'metadata' | 'invoke' | 'type'>,
    handlers: readonly HandlerMetadata[],
    { registry, isLate, warnings }: Exploration,
  ): readonly string[] {
    const { methodName, source } = method;
    const mistaken = findParameterViolations(type, methodName, handlers);
    if (mistaken.length > 0) return mistaken.map((violation) => `${source}: ${violation}`);
    const invoke = this.contexts.create(wrapper, type, methodName);
    return handlers.flatMap((metadata) => {
      const where = `${source} (${metadata.decorator})`;
      const violations = findHandlerOptionViolations(metadata).map((violation) => `${where}: ${violation}`);
      if (violations.length > 0) return violations;
      const missed = isLate ? LATE[metadata.kind] : undefined;
      if (missed) warnings.add(`${where} is in a module that is loaded lazily: ${missed}.`);
      if (missed === MISSED) return [];
      try {
        const onError = (metadata.options as HandlerOptions).onError ?? errorHandlerOf(type);
        const guarded = onError === undefined ? invoke : this.errors.wrap(invoke, onError, method.instance);
        registerHandler(registry, { ...method, type, metadata, invoke: guarded });
        return [];
      } catch (error) {
        return [`${where}: ${errorText(error)}`];
      }
    });
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A transient provider counts as static for Nest, but has an instance for each of those that it is injected into. */
function isSingleton(wrapper: InstanceWrapper): boolean {
  return wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
}

/** An alias, or what a factory returns, can be an instance that another provider has created. */
function isInjected(wrapper: InstanceWrapper): boolean {
  return Array.isArray(wrapper.inject);
}
