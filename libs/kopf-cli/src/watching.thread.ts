import type { InitializeHook, LoadHook } from 'node:module';
import type { MessagePort } from 'node:worker_threads';

// Runs in the thread of Node.js's module hooks, for commands that restart an operator when one of its files changes.

/** The data that {@link initialize} gets. */
export interface WatchHookData {
  /** The port that receives the address of each module that is loaded. */
  readonly port: MessagePort;
}

let port: MessagePort;

export const initialize: InitializeHook<WatchHookData> = (data) => {
  port = data.port;
};

/** The hook that reports a module before it is read, so that a file that cannot be loaded is known, too. */
export const load: LoadHook = (url, context, next) => {
  if (url.startsWith('file:')) port.postMessage(url);
  return next(url, context);
};
