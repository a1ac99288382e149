import type { KopfLogger } from 'nestjs-kopf';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest, ObjectIdentity } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import type { ConsoleActions, ConsoleViewer } from '../console.operator.js';
import { readBody, type ConsoleRequest } from './console.request.js';
import { checkAction } from './request.origin.js';

/** All actions that there are. */
export const ACTIONS: readonly ConsoleAction[] = [
  'retry',
  'postpone',
  'complete',
  'repeat',
  'release',
  'pause',
  'resume',
  'memo',
  'logs',
];

/** The function that returns whether a viewer may do something to an object; without an object, to the operator. */
export type ConsoleAuthorization = (
  viewer: ConsoleViewer,
  action: ConsoleAction,
  object: ObjectIdentity | undefined,
) => boolean | Promise<boolean>;

/** The actions that are on, and their authorization. */
export interface ActionRules {
  /** The actions that are on. */
  readonly allow: readonly ConsoleAction[];
  /** Returns the viewer who has sent a request; `undefined` if it is not known. @default who has signed in */
  readonly authenticate?: (request: any) => ConsoleViewer | undefined | Promise<ConsoleViewer | undefined>;
  /** @default 'subjectAccessReview' */
  readonly authorize?: 'subjectAccessReview' | ConsoleAuthorization;
}

/** The gate of actions: lets only those through that are on, and whose viewer is authorized. */
export class ActionGate {
  constructor(
    private readonly rules: ActionRules,
    private readonly logger: KopfLogger,
  ) {}

  /** Authenticates the viewer of a request; `undefined` if it is not known. */
  async authenticate({
    request,
    viewer: signedIn,
  }: Pick<ConsoleRequest, 'request' | 'viewer'>): Promise<ConsoleViewer | undefined> {
    const viewer = this.rules.authenticate ? await this.rules.authenticate(request) : signedIn;
    return typeof viewer?.user === 'string' && viewer.user !== '' ? viewer : undefined;
  }

  /** The actions that are offered to a viewer, who may not be authorized for all of them. */
  offered(viewer: ConsoleViewer | undefined): readonly ConsoleAction[] {
    return viewer ? ACTIONS.filter((action) => this.rules.allow.includes(action)) : [];
  }

  /**
   * Has an action done.
   *
   * @throws ConsoleError 404 if the action is off, 401 if the viewer is not known, 403 if the viewer is not authorized, 400 if the request
   * makes no sense.
   */
  async act(
    name: string,
    request: ConsoleRequest,
    actionsOf: (name?: string) => ConsoleActions,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    const action = ACTIONS.find((each) => each === name && this.rules.allow.includes(each));
    if (!action) throw new ConsoleError(404, 'There is no such action, or it is not allowed.');
    checkAction(request);
    const viewer = await this.authenticate(request);
    if (!viewer) throw new ConsoleError(401, 'It is not known who asks for the action.');
    const asked = readRequest(await readBody(request), action);
    const chosen = actionsOf(asked.operator ?? request.query.get('operator') ?? undefined);
    if (!(await this.isAuthorized(chosen, viewer, action, asked.object, signal))) {
      this.logger.warn(`${viewer.user} has asked the console to ${action}, and may not.`);
      throw new ConsoleError(403, `${viewer.user} may not ${action} this.`);
    }
    return chosen.act(action, asked, viewer, signal);
  }

  private async isAuthorized(
    actions: ConsoleActions,
    viewer: ConsoleViewer,
    action: ConsoleAction,
    object: ObjectIdentity | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { authorize = 'subjectAccessReview' } = this.rules;
    if (authorize === 'subjectAccessReview') return actions.mayAct(action, object, viewer, signal);
    return (await authorize(viewer, action, object)) === true;
  }
}

/** Takes what is known out of a body; nothing of it is trusted. */
function readRequest(body: Record<string, unknown>, action: ConsoleAction): ConsoleActionRequest {
  const { operator, handler, seconds, reason, dryRun } = body;
  const text = (name: string, value: unknown): string | undefined => {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string' && value.length <= 1000) return value;
    throw new ConsoleError(400, `${name} must be a text of at most 1000 characters.`);
  };
  if (dryRun !== undefined && typeof dryRun !== 'boolean') throw new ConsoleError(400, 'dryRun must be true or false.');
  if (seconds !== undefined && typeof seconds !== 'number') throw new ConsoleError(400, 'seconds must be a number.');
  const object = action === 'pause' || action === 'resume' ? undefined : readReference(body.object, text);
  return {
    operator: text('operator', operator),
    handler: text('handler', handler),
    seconds,
    reason: text('reason', reason),
    dryRun,
    object,
  };
}

function readReference(object: unknown, text: (name: string, value: unknown) => string | undefined): ObjectIdentity {
  if (typeof object !== 'object' || object === null) throw new ConsoleError(400, 'The object is missing.');
  const { resource, kind, namespace, name, uid } = object as Record<string, unknown>;
  const [ownResource, ownName] = [text('object.resource', resource), text('object.name', name)];
  if (ownResource === undefined || ownName === undefined)
    throw new ConsoleError(400, 'The object must have a resource and a name.');
  return {
    resource: ownResource,
    kind: text('object.kind', kind) ?? '',
    namespace: text('object.namespace', namespace),
    name: ownName,
    uid: text('object.uid', uid),
  };
}
