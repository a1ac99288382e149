/**
 * The console: what the operator is doing, in a browser, from the user's own application.
 *
 * @module nestjs-kopf/console
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
