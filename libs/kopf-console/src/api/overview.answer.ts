import type { OperatorOverview } from 'nestjs-kopf/inspection';
import type { ConsoleAction } from './action.request.js';

/** Which operator is shown, how it is, and what the viewer may do: `GET api/overview`. */
export interface ConsoleOverview extends OperatorOverview {
  /** The version of nestjs-kopf that serves the console. */
  readonly version: string;
  /** The operators that the console shows; the first is shown if none is asked for. */
  readonly operators: readonly string[];
  /** The operator that is shown. */
  readonly operator: string;
  /** The actions that the viewer may ask for; empty without authentication. */
  readonly actions: readonly ConsoleAction[];
  /** The name of the viewer, as the authentication says. */
  readonly user?: string;
}
