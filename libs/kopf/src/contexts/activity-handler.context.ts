import type { ActivityContext } from './contexts.interface.js';
import type { Indices } from './indices.interface.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { Invocation } from './invocation.js';

/** What the handlers of the operator's own life get. */
export class ActivityHandlerContext implements ActivityContext {
  constructor(
    private readonly invocation: Invocation,
    readonly settings: KopfSettings,
    readonly memo: any,
    readonly indices: Indices,
  ) {}

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
