import type { ChangeContext } from '../../contexts/contexts.interface.js';
import type { SubhandlerExecution } from '../../contexts/invocation.js';
import type { SubhandlerFunction, SubhandlerSet } from '../../contexts/contexts.interface.js';

/** The execution of the sub-handlers of a handler that is called in a test: once each, in their order, without progress and retries. */
export class TestSubhandling implements SubhandlerExecution {
  private instance?: object;
  private pending: (readonly [id: string, handler: SubhandlerFunction])[] = [];

  /**
   * @param createContext makes the context of a sub-handler, which can have sub-handlers itself.
   * @param ids takes the ids of all sub-handlers: those of sub-handlers begin with the ids of their parents.
   */
  constructor(
    private readonly createContext: (subhandling: SubhandlerExecution) => ChangeContext,
    readonly ids: string[] = [],
    private readonly prefix = '',
  ) {}

  bindTo(instance: object): void {
    this.instance = instance;
  }

  add(id: string, handler: SubhandlerFunction): void {
    this.ids.push(this.prefix + id);
    this.pending.push([id, handler]);
  }

  async execute(handlers: SubhandlerSet = {}): Promise<void> {
    const entries = Array.isArray(handlers)
      ? handlers.map((handler: SubhandlerFunction) => [handler.name, handler] as const)
      : Object.entries(handlers as Record<string, SubhandlerFunction>);
    for (const [id, handler] of entries) this.add(id, handler);
    await this.finish();
  }

  /** Calls the sub-handlers that were not called yet. */
  async finish(): Promise<void> {
    for (const [id, handler] of this.pending.splice(0)) {
      const children = new TestSubhandling(this.createContext, this.ids, `${this.prefix}${id}/`);
      if (this.instance) children.bindTo(this.instance);
      await handler.call(this.instance, this.createContext(children));
      await children.finish();
    }
  }
}
