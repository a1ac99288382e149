import { AsyncResource } from 'node:async_hooks';
import { PermanentError, TemporaryError } from './handler.errors.js';
import type { SubhandlerExecution } from '../contexts/invocation.js';
import type { SubhandlerFunction, SubhandlerSet } from '../contexts/contexts.interface.js';
import type { SubhandlerOptions } from '../contexts/change-options.js';
import type { ChangingHandler } from '../registry/handler.js';
import { parseFieldPath } from '../objects/field-path.js';
import { isMap } from 'kube-common';

/** The options that handlers often compute. */
const LIMITS = ['timeout', 'retries', 'backoff'] as const;

/** Executes handlers as children of another one. Rejects while any of them is unfinished, or, if none are given, while any child is. */
export type ChildrenExecutor = (handlers: readonly ChangingHandler[]) => Promise<void>;

/** The sub-handlers of one invocation, and their execution. */
export class Subhandling implements SubhandlerExecution {
  private functions?: Map<string, SubhandlerFunction>;
  private running?: Set<Promise<void>>;
  private pending: ChangingHandler[] = [];
  private instance?: object;
  /** The asynchronous context in which the handler has registered them. They run in it, although they are executed later. */
  private origin?: AsyncResource;

  constructor(
    private readonly parent: ChangingHandler,
    private readonly executeChildren: ChildrenExecutor,
    /** Aborted when the invocation is over, although its function may still be running. */
    private readonly invocation: { readonly signal: AbortSignal },
  ) {
    this.instance = parent.instance;
  }

  bindTo(instance: object): void {
    this.instance = instance;
  }

  /**
   * Registers a sub-handler, to be executed later.
   *
   * @throws TypeError if it is not a function, or if another function has its id.
   * @throws PermanentError if the invocation is over.
   * @throws TemporaryError if the invocation is interrupted, and the handler will be called again.
   */
  add(id: string, fn: SubhandlerFunction, options: SubhandlerOptions = {}): void {
    this.checkTime();
    this.origin ??= new AsyncResource('KopfSubhandlers');
    this.pending.push(this.toHandler(id, fn, options));
  }

  /** Executes the given functions, or those that were registered so far. */
  async execute(handlers?: SubhandlerSet): Promise<void> {
    this.checkTime();
    if (handlers === undefined) return this.executePending();
    await this.run(this.nameAll(handlers).map(([id, fn]) => this.toHandler(id, fn, {})));
  }

  /** Whether the invocation has any sub-handlers. */
  get isUsed(): boolean {
    return this.functions !== undefined;
  }

  /**
   * Ends the invocation: executes the registered sub-handlers that were not executed yet. Rejects if any of its sub-handlers is unfinished.
   */
  async finish(): Promise<void> {
    await this.settle();
    if (this.pending.length > 0) this.checkTime();
    await this.executePending();
    await this.executeChildren([]);
  }

  /** Waits for executions in progress, as the handler need not have awaited them. */
  async settle(): Promise<void> {
    while (this.running?.size) await Promise.allSettled(this.running);
  }

  private async executePending(): Promise<void> {
    const handlers = this.pending;
    this.pending = [];
    if (handlers.length > 0) await this.origin?.runInAsyncScope(() => this.run(handlers));
    // A sub-handler that is still being executed does not count as unfinished.
    else if (this.isUsed && !this.running?.size) await this.executeChildren([]);
  }

  private async run(handlers: readonly ChangingHandler[]): Promise<void> {
    const running = (this.running ??= new Set());
    const execution = this.executeChildren(handlers);
    running.add(execution);
    try {
      await execution;
    } finally {
      running.delete(execution);
    }
  }

  private checkTime(): void {
    const { aborted, reason } = this.invocation.signal as { aborted: boolean; reason: unknown };
    if (!aborted) return;
    // The parent is called again, and can execute them then.
    if (reason instanceof TemporaryError) throw reason;
    throw new PermanentError(`The sub-handlers of ${this.parent.source} come too late.`);
  }

  private nameAll(handlers: SubhandlerSet): (readonly [string, SubhandlerFunction])[] {
    if (Array.isArray(handlers)) return handlers.map((fn: SubhandlerFunction) => [nameOf(fn), fn] as const);
    if (isMap(handlers) && !(Symbol.iterator in handlers)) {
      return Object.entries(handlers as Record<string, SubhandlerFunction>);
    }
    throw new TypeError(`The sub-handlers of ${this.parent.source} are neither an object nor a list of functions.`);
  }

  private toHandler(id: string, fn: SubhandlerFunction, options: SubhandlerOptions): ChangingHandler {
    const { source, className, fieldNeedsChange } = this.parent;
    if (typeof fn !== 'function') throw new TypeError(`The sub-handler '${id}' of ${source} is not a function.`);
    const { id: ownId = id, field, ...rest } = options;
    if (!ownId) throw new TypeError(`A sub-handler of ${source} has neither an id nor a name.`);
    for (const name of LIMITS) {
      const limit: unknown = rest[name];
      if (limit === undefined || (typeof limit === 'number' && limit >= 0)) continue;
      throw new TypeError(`The sub-handler '${ownId}' of ${source} has no number, or a negative one, as its ${name}.`);
    }
    const path = field === undefined ? undefined : parseFieldPath(field);
    // Unlike the field of a handler, that of a sub-handler is no part of its id, as in Kopf, whose progress and results must be found.
    const fullId = `${this.parent.id}/${ownId}`;
    this.register(fullId, fn);
    return {
      ...rest,
      id: fullId,
      title: `Handler '${fullId}'`,
      source: `${source}/${ownId}`,
      className,
      invoke: fn,
      instance: this.instance,
      field: path,
      fieldNeedsChange,
    };
  }

  private register(id: string, fn: SubhandlerFunction): void {
    const functions = (this.functions ??= new Map());
    const other = functions.get(id);
    if (other && other !== fn) {
      throw new TypeError(`${this.parent.source} has two different sub-handlers '${id}'; give one of them another id.`);
    }
    functions.set(id, fn);
  }
}

/** Returns the name of a function; for a bound method, that of the method. */
function nameOf(fn: SubhandlerFunction): string {
  return typeof fn === 'function' ? fn.name.replace(/^(bound )+/, '') : '';
}
