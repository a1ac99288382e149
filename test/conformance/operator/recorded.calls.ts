import type { ChangeContext } from 'nestjs-kopf';

/** A call of a handler, with what is compared. */
export interface RecordedCall {
  readonly handler: string;
  readonly name: string;
  readonly reason: string;
  readonly retry: number;
  readonly old: unknown;
  readonly new: unknown;
  readonly diff: readonly unknown[];
}

/** Keeps the calls of handlers. */
export class RecordedCalls {
  readonly all: RecordedCall[] = [];

  add(handler: string, context: ChangeContext): void {
    const { name, reason, retry, old, diff } = context;
    this.all.push({ handler, name, reason, retry, old, new: context.new, diff });
  }

  of(name: string): readonly RecordedCall[] {
    return this.all.filter((call) => call.name === name);
  }

  /** The handlers that were called for the object, in the order of the calls. */
  handlers(name: string): readonly string[] {
    return this.of(name).map(({ handler }) => handler);
  }

  clear(): void {
    this.all.length = 0;
  }
}
