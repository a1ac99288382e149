/**
 * The console: what the operator is doing, in a browser, from the user's own application.
 *
 * @module nestjs-kopf-console
 */

export { KopfConsoleModule } from './kopf-console.module.js';
export type {
  KopfConsoleActions,
  KopfConsoleAsyncOptions,
  KopfConsoleControllerOptions,
  KopfConsoleHistory,
  KopfConsoleOptions,
  KopfConsoleOptionsFactory,
  KopfConsoleSettings,
} from './console.options.js';
export type { ConsoleAction } from './console.api.js';
export type { ConsoleViewer } from './console.operator.js';
export type { ConsoleAuthorization } from './server/action.gate.js';
export type { ConsolePasswordCheck, ConsoleSignIn } from './server/sign.in.js';
// The same without Nest's controllers, as the command `kopf console` serves it.
export { ConsoleServer, type ConsoleServerOptions } from './server/console.server.js';
export { ActionGate, ACTIONS } from './server/action.gate.js';
export { ClusterActions } from './actions/cluster.actions.js';
export { OperatorActions } from './actions/operator.actions.js';
