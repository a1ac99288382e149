import type { HandlerRegistry } from './handler.registry.js';

/** The names of handlers in metrics and traces: only as many as the code has handlers, as ids of sub-handlers can come from objects. */
export class HandlerLabels {
  private ids?: ReadonlySet<string>;

  constructor(private readonly registry: HandlerRegistry) {}

  /** Returns the id of a registered handler, `parent/*` for its sub-handlers, and `unknown` for any other id. */
  of(id: string): string {
    this.ids ??= new Set(this.registry.describe().map((handler) => handler.id));
    if (this.ids.has(id)) return id;
    for (let end = id.lastIndexOf('/'); end > 0; end = id.lastIndexOf('/', end - 1)) {
      const parent = id.slice(0, end);
      if (this.ids.has(parent)) return `${parent}/*`;
    }
    // Activities have the method before their ids.
    return this.ids.has(id.slice(id.indexOf('/') + 1)) ? id.slice(id.indexOf('/') + 1) : 'unknown';
  }
}
