import type { SubhandlerFunction, SubhandlerOptions, SubhandlerSet } from '../interfaces/subhandlers.interface.js';
import type { ChangingHandler } from '../registry/handler.js';
import { parseFieldPath } from '../structs/field-path.js';

/** Executes handlers as children of another one; rejects while they are unfinished. */
export type ChildrenExecutor = (handlers: readonly ChangingHandler[]) => Promise<void>;

/** Collects the sub-handlers of one invocation, and executes each of them at most once in it. */
export class Subhandling {
  private pending: ChangingHandler[] = [];

  constructor(
    private readonly parent: ChangingHandler,
    private readonly executeChildren: ChildrenExecutor,
  ) {}

  add(id: string, fn: SubhandlerFunction, options: SubhandlerOptions = {}): void {
    this.pending.push(this.toHandler(id, fn, options));
  }

  /** Executes the given functions, or what was added so far. */
  async execute(handlers?: SubhandlerSet): Promise<void> {
    if (handlers === undefined) return this.executePending();
    const named = Array.isArray(handlers)
      ? handlers.map((fn: SubhandlerFunction) => [fn.name, fn] as const)
      : Object.entries(handlers as Record<string, SubhandlerFunction>);
    await this.executeChildren(named.map(([id, fn]) => this.toHandler(id, fn, {})));
  }

  /** Executes what was added and not executed yet. */
  async executePending(): Promise<void> {
    const handlers = this.pending;
    this.pending = [];
    if (handlers.length > 0) await this.executeChildren(handlers);
  }

  private toHandler(id: string, fn: SubhandlerFunction, options: SubhandlerOptions): ChangingHandler {
    if (typeof fn !== 'function')
      throw new TypeError(`The sub-handler '${id}' of ${this.parent.source} is not a function.`);
    const { id: ownId = id, field, ...rest } = options;
    if (!ownId) throw new TypeError(`A sub-handler of ${this.parent.source} has neither an id nor a name.`);
    const path = field === undefined ? undefined : parseFieldPath(field);
    const fullId = [this.parent.id, ownId, ...(path ? [path.join('.')] : [])].join('/');
    return {
      ...rest,
      id: fullId,
      title: `Handler '${fullId}'`,
      source: `${this.parent.source}/${ownId}`,
      invoke: fn,
      field: path,
    };
  }
}
