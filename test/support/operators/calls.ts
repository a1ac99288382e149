import type { ChangeContext, InvocationContext } from 'nestjs-kopf';

/** One call of a handler, as far as tests look at it. */
export interface Call {
  readonly id: string;
  readonly name?: string;
  readonly reason?: string;
  readonly retry: number;
}

/** The record of the calls of handlers, in their order. */
export class Calls {
  readonly all: Call[] = [];

  /** The ids of the handlers that were called. */
  get ids(): string[] {
    return this.all.map(({ id }) => id);
  }

  /** Counts the calls of a handler. */
  count(id: string): number {
    return this.ids.filter((other) => other === id).length;
  }

  add(id: string, context: Partial<Pick<ChangeContext, 'name' | 'reason'>> & Pick<InvocationContext, 'retry'>): void {
    const { name, reason, retry } = context;
    this.all.push({ id, ...(name !== undefined && { name }), ...(reason !== undefined && { reason }), retry });
  }

  /** Forgets the calls so far, and returns which handlers were called in them. */
  take(): string[] {
    return this.all.splice(0).map(({ id }) => id);
  }
}
