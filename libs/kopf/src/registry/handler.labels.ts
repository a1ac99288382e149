import type { HandlerRegistry } from './handler.registry.js';

/** Names handlers by as many names as there are handlers in the code: ids of sub-handlers can come from objects. */
export class HandlerLabels {
  private ids?: ReadonlySet<string>;

  constructor(private readonly registry: HandlerRegistry) {}

  /** The id of a handler that is registered; `parent/*` for sub-handlers; `unknown` for what is neither. */
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
