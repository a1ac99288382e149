import type { ChangeContext } from './contexts.interface.js';
import type { UpdateOptions } from '../decorators/handler-options.js';

/** A sub-handler gets a context of its own; its result goes to `status.{parent id/id}`. */
export type SubhandlerFunction<Spec = any, Status = any, Memo = any> = (
  context: ChangeContext<Spec, Status, Memo>,
) => unknown;

/** Options of one sub-handler: as of other handlers, but for the object that is being handled. */
export interface SubhandlerOptions extends Omit<UpdateOptions, 'selector'> {}

/** Sub-handlers by their ids, or functions whose names are the ids. */
export type SubhandlerSet<Spec = any, Status = any, Memo = any> =
  Readonly<Record<string, SubhandlerFunction<Spec, Status, Memo>>> | readonly SubhandlerFunction<Spec, Status, Memo>[];

/** Takes the sub-handlers of one invocation of their parent. */
export interface SubhandlerExecution {
  /** Adds a sub-handler to be executed later. */
  add(id: string, handler: SubhandlerFunction, options?: SubhandlerOptions): void;
  /** Executes the given sub-handlers, or those that were added so far. */
  execute(handlers?: SubhandlerSet): Promise<void>;
}
