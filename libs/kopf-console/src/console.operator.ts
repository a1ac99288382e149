import type { OperatorInspection } from 'nestjs-kopf/inspection';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest, ObjectIdentity } from './console.api.js';

/** The viewer who requests an action, as authenticated. */
export interface ConsoleViewer {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** What viewers can have done to one operator and to its objects. */
export interface ConsoleActions {
  /**
   * Does an action, or returns what it would do. The viewer was authorized before.
   *
   * @throws ConsoleError, InspectionError 400 if the request makes no sense, 404 if there is no such object or handler, 409 if the object
   * has changed.
   */
  act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer>;
  /** Asks the API server whether the viewer may do this to the object, or to the operator. */
  mayAct(
    action: ConsoleAction,
    object: ObjectIdentity | undefined,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** One operator that the console shows. Nothing in the server depends on whether it runs in this process. */
export interface ConsoleOperator {
  readonly inspection: OperatorInspection;
  readonly actions: ConsoleActions;
}
