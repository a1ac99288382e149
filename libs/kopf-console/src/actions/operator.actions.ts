import { ApiForbiddenError, type KopfOperator } from 'nestjs-kopf';
import type { OperatorInspection } from 'nestjs-kopf/inspection';
import type { InspectedServices } from 'nestjs-kopf/tooling';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest, ObjectIdentity } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import type { ConsoleActions, ConsoleViewer } from '../console.operator.js';
import { showLogs } from './pod.logs.js';
import { carryOut, describeAction, type PlannedAction } from './planned.action.js';

/** The group and the resource of SubjectAccessReviews. They need not exist: a role can name them all the same. */
export const REVIEWED = { group: 'console.kopf.dev', resource: 'handlings' };

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** The services of an operator by which viewers change it and its objects. */
export type ActionServices = Pick<InspectedServices, 'api' | 'operator' | 'lifecycle' | 'events' | 'logger'>;

/** What viewers can have done to an operator of this process, in the way that Kopf's state on the objects allows. */
export class OperatorActions implements ConsoleActions {
  constructor(
    private readonly inspection: OperatorInspection,
    private readonly services: ActionServices,
  ) {}

  async mayAct(
    action: ConsoleAction,
    object: ObjectIdentity | undefined,
    { user, groups = [] }: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const place = object ? { namespace: object.namespace, name: object.name } : { name: this.inspection.name };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups, resourceAttributes: { ...REVIEWED, verb: action, ...place } },
    };
    try {
      const answer = await this.services.api.post<{ readonly status?: { readonly allowed?: boolean } }>(
        REVIEWS,
        review,
        { signal, retries: false },
      );
      return answer.status?.allowed === true;
    } catch (error) {
      signal.throwIfAborted();
      const needed =
        error instanceof ApiForbiddenError ? ' The operator needs the permission to create subjectaccessreviews.' : '';
      throw new ConsoleError(502, `The API server could not be asked who may do this.${needed}`);
    }
  }

  async act(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    viewer: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    if (action === 'pause' || action === 'resume') return this.pause(action, request, viewer);
    if (action === 'memo') return this.showMemo(request, signal);
    const { inspection } = this;
    const { api } = this.services;
    if (action === 'logs') return showLogs(request, { inspection, api }, signal);
    const done = await carryOut(action, request, { inspection, api }, signal);
    if (done.answer.done) await this.report(action, request, viewer, done);
    return done.answer;
  }

  private pause(action: 'pause' | 'resume', { dryRun = true, reason }: ConsoleActionRequest, { user }: ConsoleViewer) {
    const { operator, lifecycle, logger } = this.services;
    if (action === 'resume' && !lifecycle.isPausedByHand) throw new ConsoleError(409, explainResume(operator));
    const text =
      action === 'pause'
        ? 'The operator pauses: it takes no more events until it is resumed, and its daemons and timers stop.'
        : 'The operator works again, unless another one makes it pause: all objects are listed again.';
    if (dryRun) return { dryRun, text, done: false };
    if (action === 'pause') operator.pause(`${user} has paused it in the console${reason ? `: ${reason}` : '.'}`);
    else operator.resume();
    logger.log(`The console was asked to ${action} the operator by ${user}.`);
    this.inspection.record({ text: `${action} the operator`, user });
    return { dryRun, text, done: true };
  }

  private async showMemo(
    { object, dryRun = true }: ConsoleActionRequest,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    if (!object) throw new ConsoleError(400, 'The object is missing.');
    const result = await this.inspection.memo(object, signal);
    return { dryRun, text: 'This is the memo of the object.', done: true, result };
  }

  /** Reports the action and its viewer: in a Kubernetes event on the object, in the log, and in the event log. */
  private async report(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    { user }: ConsoleViewer,
    { plan: { body, text } }: PlannedAction,
  ): Promise<void> {
    const { object, reason } = request;
    const { events, logger } = this.services;
    const what = describeAction(action, request);
    const message = `${user} has asked for it in the console (${what})${reason ? `: ${reason}` : ''}. ${text}`;
    logger.log(`The console was asked by ${user} to ${what} of ${object?.namespace ?? ''}/${object?.name ?? ''}.`);
    this.inspection.record({ text: what, user, object: object && { ...object, uid: body.metadata.uid } });
    await events.post({
      about: body,
      type: 'Normal',
      reason: `Console${action[0].toUpperCase()}${action.slice(1)}`,
      message,
    });
  }
}

/** Explains why the operator cannot be resumed. */
function explainResume({ pauseStatus: { reasons } }: Pick<KopfOperator, 'pauseStatus'>): string {
  if (reasons.length === 0) return 'The operator does not pause.';
  return `The operator was not paused by hand, so that it cannot be resumed: ${reasons.join('; ')}`;
}
