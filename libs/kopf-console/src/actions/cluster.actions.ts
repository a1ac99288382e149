import { type ClusterInspection, EventsClient, reviewAccess } from 'nestjs-kopf/tooling';
import { KopfSettings } from 'nestjs-kopf';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest, ObjectIdentity } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import type { ConsoleActions, ConsoleViewer } from '../console.operator.js';
import { showLogs } from './pod.logs.js';
import { carryOut, describeAction } from './planned.action.js';

/** The actions that need nothing of the operator but its state on the object, or its pods. */
const CLUSTER_ACTIONS: readonly ConsoleAction[] = ['retry', 'postpone', 'complete', 'repeat', 'release', 'logs'];

/**
 * The actions on the state of operators on objects, with the permissions of the user; the operators see it as any other change, and
 * continue from it.
 */
export class ClusterActions implements ConsoleActions {
  constructor(private readonly inspection: ClusterInspection) {}

  /** Whether the user may do this: read logs, or change an object. */
  async mayAct(
    action: ConsoleAction,
    object: ObjectIdentity | undefined,
    _viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { namespace, name, resource } = this.find(action, object);
    // The API server decides about each log by itself.
    if (action === 'logs') return true;
    return reviewAccess(this.inspection.tools.api, { verb: 'patch', resource, namespace, name }, signal);
  }

  async act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    { user }: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    this.find(action, request.object);
    const { inspection } = this;
    const { api, clock, logger } = inspection.tools;
    if (action === 'logs') return showLogs(request, { inspection, api }, signal);
    const { answer, plan } = await carryOut(action, request, { inspection, api }, signal);
    if (!answer.done) return answer;
    const { body, text } = plan;
    const what = describeAction(action, request);
    inspection.record({ text: `${what}: ${text}`, user, object: request.object });
    const events = new EventsClient(api, new KopfSettings().posting, clock, logger);
    const reason = `Console${action[0].toUpperCase()}${action.slice(1)}`;
    const message = `${user} has asked for it by kopf console (${what}). ${text}`;
    // The user may not be allowed to create events: the client logs it then, and does not fail.
    await events.post({ about: body, type: 'Normal', reason, message, signal });
    return answer;
  }

  /** @throws ConsoleError 400 if the action cannot be done from outside; InspectionError 404 if there is no such object. */
  private find(action: ConsoleAction, object: ObjectIdentity | undefined) {
    if (!CLUSTER_ACTIONS.includes(action)) {
      throw new ConsoleError(400, `The operator runs elsewhere, where ${action} cannot be asked for.`);
    }
    if (!object) throw new ConsoleError(400, 'The object is missing.');
    const { namespace, name } = object;
    return { namespace, name, resource: this.inspection.resourceOf(object) };
  }
}
