// discovery: how decorated methods become handlers at the start of the application: found among the providers, validated, and added to the
// registry. If anything is wrong with them, the start ends with one error that names all of it. Nothing else knows Nest's internals.
// May import: decorators, parameters, registry, and what validates declarations: indexing, admission.

import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { HandlerOptions } from '../contexts/change-options.js';
import { errorHandlerOf } from '../decorators/on-error.decorator.js';
import { ErrorHandling } from './error-handling.js';
import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { findNameViolations } from '../admission/configuration/webhooks.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import type { HandlerDecorator } from '../decorators/handler.decorators.js';
import type { HandlerRegistrar, HandlerRegistration } from '../registry/handler.registrar.js';
import { HandlerRegistry, type RegisteredHandler } from '../registry/handler.registry.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { errorText } from 'kube-common';
import { HandlerContextCreator } from './handler-context.creator.js';
import { loadLibraries, registerHandler, type DecoratedMethod } from './handler.factory.js';
import { findLostOverride, findUselessPipes } from './handler.warnings.js';
import { findIdConflicts } from './id-conflicts.js';
import { findIdPrefix } from './id-prefix.js';
import { OperatorAssignment } from './operator.assignment.js';
import { findHandlerOptionViolations } from './option-rules.js';
import type { InstanceWrapper } from './nest.internals.js';
import { findParameterViolations } from './parameter-rules.js';
import { InjectOwn } from '../kopf.tokens.js';

/** One pass of the exploration: at the start, or after a module was loaded lazily. */
interface Exploration {
  /** Whether the operator has started before. */
  readonly isLate: boolean;
  readonly warnings: Set<string>;
}

const MISSED =
  'it is never called, as the operator has started without it; import the module where the application starts';
const NOT_RESUMED =
  'it is not called for objects that the operator has handled already; import the module where the application starts if it must be';

/** What handlers that are added after the operator has started miss, by their kinds. */
const LATE: Partial<Record<HandlerKind, string>> = { startup: MISSED, convert: MISSED, resume: NOT_RESUMED };

/** A class with decorated methods. */
type DecoratedClass = { readonly prototype: object };

/** The explorer that finds the operator's handlers on the application's providers and controllers, and adds them to the registry. */
@Injectable()
export class HandlerExplorer implements HandlerRegistrar {
  private readonly errors = new ErrorHandling();
  private warn: (warning: string) => void = () => undefined;
  /** The instances and classes that were explored. */
  private readonly explored = new WeakSet<object>();

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(OperatorAssignment) private readonly assignment: OperatorAssignment,
    @Inject(HandlerContextCreator) private readonly contexts: HandlerContextCreator,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Loads the packages that exploring the handlers of the application takes; most applications need none of them. */
  async load(): Promise<void> {
    for (const [, wrapper] of this.listWrappers()) {
      const prototype = findPrototype(wrapper);
      if (!prototype || !this.assignment.hasHandlers(prototype)) continue;
      for (const methodName of this.scanner.getAllMethodNames(prototype)) {
        for (const handler of this.assignment.assign(prototype, methodName).handlers) await loadLibraries(handler);
      }
    }
  }

  /**
   * Explores the whole application.
   *
   * @param warn called with a warning for each declaration that is allowed, but probably not meant, with what to do; also for handlers
   * added later.
   * @throws KopfBootstrapError that names every error with its class, method, and option.
   */
  explore(warn: (warning: string) => void = () => undefined): void {
    const { registry } = this;
    const { violations, warnings } = this.exploreWrappers(false);
    violations.unshift(...this.assignment.findNameConflicts());
    violations.push(...findIdConflicts(registry), ...this.declareIndices(), ...this.findMisnamedWebhooks());
    if (violations.length > 0) throw new KopfBootstrapError(violations);
    this.registry.registrar = this;
    this.warn = warn;
    warnings.forEach(warn);
  }

  register(instance: object): HandlerRegistration {
    const type = instance.constructor as DecoratedClass & { readonly name: string };
    const provider = new Map(this.listWrappers()).get(instance);
    const wrapper = provider ?? this.wrap(instance, type);
    const violations = provider ? [] : this.findUnmadeEnhancers(type);
    return this.registerWrapper(wrapper, type.name, violations);
  }

  registerFunction(decorator: HandlerDecorator<any>, handler: (context: any) => unknown): HandlerRegistration {
    const name = handler.name || 'handler';
    // Each registration gets a new method, as decorators leave their metadata there.
    const Registered = { [name]: class {} }[name] as unknown as DecoratedClass & (new () => object);
    const descriptor = { configurable: true, writable: true, value: (context: unknown) => handler(context) };
    Object.defineProperty(Registered.prototype, name, descriptor);
    decorator(Registered.prototype, name, descriptor);
    return this.register(new Registered());
  }

  /** Explores an instance, and adds its handlers if all of them are valid, and the others are still valid with them. */
  private registerWrapper(wrapper: InstanceWrapper, name: string, known: readonly string[]): HandlerRegistration {
    const explore = () => {
      const warnings = new Set<string>();
      const violations = [...known, ...this.exploreWrapper(wrapper, { isLate: false, warnings })];
      return { violations, warnings };
    };
    const added = this.addTogether(explore, (found) => found.flatMap(findLateViolations));
    if (added.length === 0) throw new KopfBootstrapError([`${name} has no handlers of this operator`]);
    const isOwn = new Set<unknown>(added);
    const handlers = this.registry.describe((handler) => isOwn.has(handler));
    return { handlers, remove: () => this.remove(added) };
  }

  /**
   * Adds handlers while the operator may run: all that are found, or none of them if there is any violation.
   *
   * @param check returns violations of handlers whose declarations are valid.
   */
  private addTogether(
    explore: () => { readonly violations: readonly string[]; readonly warnings: ReadonlySet<string> },
    check: (added: readonly RegisteredHandler[]) => readonly string[] = () => [],
  ): readonly RegisteredHandler[] {
    const before = new Set<unknown>(this.registry.all());
    const found = explore();
    const added = this.registry.all().filter((handler) => !before.has(handler));
    const violations = [...found.violations, ...check(added)];
    if (violations.length === 0) {
      violations.push(...findIdConflicts(this.registry), ...this.findMisnamedWebhooks(), ...this.declareIndices());
    }
    if (violations.length > 0) {
      this.registry.discard(added);
      throw new KopfBootstrapError(violations);
    }
    found.warnings.forEach(this.warn);
    if (added.length > 0) this.registry.publishAdded(added);
    return added;
  }

  private remove(handlers: readonly RegisteredHandler[]): void {
    const present = new Set<unknown>(this.registry.all());
    const removed = handlers.filter((handler) => present.has(handler));
    if (removed.length === 0) return;
    this.registry.remove(removed);
    this.indices.withdraw(this.registry.allIndexing().map(({ id }) => id));
  }

  /** Wraps an instance as Nest wraps a provider. */
  private wrap(instance: object, metatype: object): InstanceWrapper {
    return {
      instance,
      metatype,
      isTransient: false,
      isDependencyTreeStatic: () => true,
    } as unknown as InstanceWrapper;
  }

  private findUnmadeEnhancers(type: DecoratedClass & { readonly name: string }): readonly string[] {
    const names = this.scanner.getAllMethodNames(type.prototype);
    const decorated = names.filter((name) => this.assignment.assign(type.prototype, name).handlers.length > 0);
    return decorated
      .filter((name) => !this.contexts.isPlain(type, name))
      .map(
        (name) =>
          `${type.name}.${name}: ${type.name} is no provider of the application, so that its guards, interceptors, filters, and decorated ` +
          'parameters cannot be made',
      );
  }

  /**
   * Explores what was added since the application was explored: lazily loaded modules.
   *
   * @param isStarted whether the operator has started, so that some kinds of handlers come too late, which is logged as a warning.
   * @throws KopfBootstrapError as {@link explore} does; none of the handlers is added then.
   */
  exploreLate(isStarted: boolean): void {
    this.addTogether(() => this.exploreWrappers(isStarted));
  }

  private exploreWrappers(isLate: boolean) {
    const warnings = new Set<string>();
    const violations: string[] = [];
    const exploration = { isLate, warnings };
    for (const [identity, wrapper] of this.listWrappers()) {
      if (this.explored.has(identity)) continue;
      this.explored.add(identity);
      violations.push(...this.exploreWrapper(wrapper, exploration));
    }
    return { violations, warnings };
  }

  /**
   * Lists each instance once: an alias or a re-exported provider is the same object under another token. Its provider is the one that has
   * created the instance, as the module of that provider decides on the ids.
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

  private declareIndices(): readonly string[] {
    const unknown = this.indices.declare(this.registry.allIndexing().map(({ id }) => id));
    return unknown.map((name) => `the index '${name}' is injected, but no method has @Index() with this name`);
  }

  private findMisnamedWebhooks(): readonly string[] {
    const { managed } = this.settings.admission;
    return managed ? findNameViolations(this.registry.allAdmission(), managed) : [];
  }

  private exploreWrapper(wrapper: InstanceWrapper, exploration: Exploration): readonly string[] {
    const { warnings } = exploration;
    const isStatic = isSingleton(wrapper);
    const prototype = findPrototype(wrapper);
    if (!prototype || !this.assignment.hasHandlers(prototype)) return [];
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
    { isLate, warnings }: Exploration,
  ): readonly string[] {
    const { methodName, source } = method;
    const unusable = findParameterViolations(type, methodName, handlers);
    if (unusable.length > 0) return unusable.map((violation) => `${source}: ${violation}`);
    const invoke = this.contexts.create(wrapper, type, methodName);
    return handlers.flatMap((metadata) => {
      const where = `${source} (${metadata.decorator})`;
      const violations = findHandlerOptionViolations(metadata).map((violation) => `${where}: ${violation}`);
      if (violations.length > 0) return violations;
      const missed = isLate ? findMissed(metadata) : undefined;
      if (missed) warnings.add(`${where} is in a module that is loaded lazily: ${missed}.`);
      if (missed === MISSED) return [];
      try {
        const onError = (metadata.options as HandlerOptions).onError ?? errorHandlerOf(type);
        const guarded = onError === undefined ? invoke : this.errors.wrap(invoke, onError, method.instance);
        registerHandler(this.registry, { ...method, type, metadata, invoke: guarded });
        return [];
      } catch (error) {
        return [`${where}: ${errorText(error)}`];
      }
    });
  }
}

/** Returns what a handler misses that is added after the operator has started. */
function findMissed({ kind, options }: HandlerMetadata): string | undefined {
  // The classes of `dto` are prepared when the webhooks are first served.
  return (options as { readonly dto?: unknown }).dto ? MISSED : LATE[kind];
}

/** Finds handlers that cannot be added to a running application. */
function findLateViolations(handler: RegisteredHandler): readonly string[] {
  const { source, selector, dto } = handler as RegisteredHandler & { readonly dto?: unknown };
  if (!selector)
    return [`${source}: handlers of activities and conversions are added at the start of the application only`];
  return dto ? [`${source}: handlers with a 'dto' are added at the start of the application only`] : [];
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Finds the prototype that has the methods of a provider; `undefined` if it is no instance of a class. */
function findPrototype(wrapper: InstanceWrapper): object | undefined {
  const prototype: unknown = isSingleton(wrapper)
    ? wrapper.instance && Object.getPrototypeOf(wrapper.instance)
    : (wrapper.metatype as { prototype?: unknown } | null)?.prototype;
  return typeof prototype === 'object' && prototype !== null ? prototype : undefined;
}

/** A transient provider counts as static for Nest, but each provider that injects it has another instance. */
function isSingleton(wrapper: InstanceWrapper): boolean {
  return wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
}

/** An alias, or what a factory returns, can be an instance that another provider has created. */
function isInjected(wrapper: InstanceWrapper): boolean {
  return Array.isArray(wrapper.inject);
}
