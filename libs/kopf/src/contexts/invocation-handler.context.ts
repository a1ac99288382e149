import type { InvocationContext } from './contexts.interface.js';
import type { Invocation } from './invocation.js';

/** The part of a handler's context that is the same for all handlers: its invocation. */
export abstract class InvocationHandlerContext implements InvocationContext {
  constructor(protected readonly invocation: Invocation) {}

  get logger() {
    return this.invocation.logger;
  }
  get param() {
    return this.invocation.param;
  }
  get retry() {
    return this.invocation.retry;
  }
  get started() {
    return this.invocation.started;
  }
  get runtime() {
    return this.invocation.runtime;
  }
  get signal() {
    return this.invocation.signal;
  }
}
