import { PermanentError } from '../errors/handler.errors.js';
import type { SubhandlerFunction, SubhandlerOptions, SubhandlerSet } from '../interfaces/subhandlers.interface.js';
import type { ChangingHandler } from '../registry/handler.js';
import { parseFieldPath } from '../structs/field-path.js';

/** Executes handlers as children of another one; rejects while they are unfinished. */
export type ChildrenExecutor = (handlers: readonly ChangingHandler[]) => Promise<void>;

/** Collects the sub-handlers of one invocation, and has them executed. */
export class Subhandling {
  private readonly functions = new Map<string, SubhandlerFunction>();
  private pending: ChangingHandler[] = [];

  constructor(
    private readonly parent: ChangingHandler,
    private readonly executeChildren: ChildrenExecutor,
    /** Aborted when the invocation is over, although its function may still be running. */
    private readonly invocation: { readonly signal: AbortSignal },
  ) {}

  /**
   * Adds a sub-handler to be executed later.
   *
   * @throws TypeError if it is not a function, or if another function has its id.
   * @throws PermanentError if the invocation is over.
   */
  add(id: string, fn: SubhandlerFunction, options: SubhandlerOptions = {}): void {
    this.checkTime();
    this.pending.push(this.toHandler(id, fn, options));
  }

  /** Executes the given functions, or what was added so far. */
  async execute(handlers?: SubhandlerSet): Promise<void> {
    this.checkTime();
    if (handlers === undefined) return this.executePending();
    const named = Array.isArray(handlers)
      ? handlers.map((fn: SubhandlerFunction) => [nameOf(fn), fn] as const)
      : Object.entries(handlers as Record<string, SubhandlerFunction>);
    await this.executeChildren(named.map(([id, fn]) => this.toHandler(id, fn, {})));
  }

  /** Executes what was added and not executed yet. Rejects if any sub-handler of this invocation is unfinished, even if nothing was added. */
  async executePending(): Promise<void> {
    const handlers = this.pending;
    this.pending = [];
    if (this.functions.size > 0) await this.executeChildren(handlers);
  }

  private checkTime(): void {
    if (this.invocation.signal.aborted)
      throw new PermanentError(`The sub-handlers of ${this.parent.source} come too late.`);
  }

  private toHandler(id: string, fn: SubhandlerFunction, options: SubhandlerOptions): ChangingHandler {
    const { source, fieldNeedsChange, instance } = this.parent;
    if (typeof fn !== 'function') throw new TypeError(`The sub-handler '${id}' of ${source} is not a function.`);
    const { id: ownId = id, field, ...rest } = options;
    if (!ownId) throw new TypeError(`A sub-handler of ${source} has neither an id nor a name.`);
    const path = field === undefined ? undefined : parseFieldPath(field);
    const fullId = [this.parent.id, ownId, ...(path ? [path.join('.')] : [])].join('/');
    this.register(fullId, fn);
    return {
      ...rest,
      id: fullId,
      title: `Handler '${fullId}'`,
      source: `${source}/${ownId}`,
      invoke: fn,
      instance,
      field: path,
      fieldNeedsChange,
    };
  }

  private register(id: string, fn: SubhandlerFunction): void {
    const other = this.functions.get(id);
    if (other && other !== fn) {
      throw new TypeError(`${this.parent.source} has two different sub-handlers '${id}'; give one of them another id.`);
    }
    this.functions.set(id, fn);
  }
}

/** The name of a function; a bound method has that of the method. */
function nameOf(fn: SubhandlerFunction): string {
  return typeof fn === 'function' ? fn.name.replace(/^(bound )+/, '') : '';
}
