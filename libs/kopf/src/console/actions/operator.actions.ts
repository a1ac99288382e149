import { ApiForbiddenError } from '../../client/api/api.errors.js';
import { createReleasePatches } from '../../inspection/explanation/releasing.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import type { Resource } from '../../resources/resources.js';
import type { ProgressRecord } from '../../state/storages.js';
import { patchObject } from './object.patching.js';
import { CALL_NOW, planRecordAction } from './record.action.js';
import type {
  ConsoleAction,
  ConsoleActionAnswer,
  ConsoleActionRequest,
  ConsoleObjectReference,
} from '../console.api.js';
import { ConsoleError } from '../../inspection/inspection.error.js';
import type { ConsoleViewer } from '../../inspection/operator.inspection.js';
import type { ObjectCatalog } from '../../inspection/operator/object.catalog.js';
import { readObject } from '../../inspection/operator/object.reading.js';
import type { OperatorConcealment } from '../../inspection/operator/operator.concealment.js';
import type { OperatorHistory } from '../../inspection/operator/operator.history.js';
import { findRecords, rewriteRecords, type RecordChange } from '../../inspection/operator/progress.rewriting.js';
import type { SourceServices } from '../../inspection/operator/inspected.services.js';

/** The group and the resource of SubjectAccessReviews. They need not exist: a role can name them all the same. */
export const REVIEWED = { group: 'console.kopf.dev', resource: 'handlings' };

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** A plan of an action on an object: the words, and what is sent. */
interface ObjectPlan {
  readonly text: string;
  /** A merge patch of the object, without its status; absent if there is nothing to change in it. */
  readonly patch?: Record<string, unknown>;
  readonly status?: unknown;
}

/** Does what viewers ask for, in the way that Kopf's state on the objects allows, so that any operator goes on with it. */
export class OperatorActions {
  constructor(
    private readonly services: SourceServices,
    private readonly history: OperatorHistory,
    private readonly concealment: OperatorConcealment,
    private readonly catalog: ObjectCatalog,
  ) {}

  async mayAct(
    action: ConsoleAction,
    object: ConsoleObjectReference | undefined,
    { user, groups = [] }: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const place = object ? { namespace: object.namespace, name: object.name } : { name: this.services.operator.name };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups, resourceAttributes: { ...REVIEWED, verb: action, ...place } },
    };
    try {
      const answer = await this.services.api.post<{ readonly status?: { readonly allowed?: boolean } }>(
        REVIEWS,
        review,
        {
          signal,
          retries: false,
        },
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
    const { resource, body } = await this.read(request, signal);
    if (action === 'memo') return this.showMemo(request, body);
    const plan = action === 'release' ? this.planRelease(body) : this.planRecords(action, request, body);
    const { dryRun = true } = request;
    const shown = this.showPatch(resource, plan);
    const answer = { dryRun, text: plan.text, ...(shown !== undefined && { patch: shown }) };
    if (dryRun || (!plan.patch && plan.status === undefined)) return { ...answer, done: false };
    const { api } = this.services;
    await patchObject({ api, redactor: this.concealment.redactor }, resource, body, toPatch(plan), signal);
    await this.tell(action, request, viewer, body, plan.text);
    return { ...answer, done: true };
  }

  private pause(action: 'pause' | 'resume', { dryRun = true, reason }: ConsoleActionRequest, { user }: ConsoleViewer) {
    const { operator, logger } = this.services;
    const text =
      action === 'pause'
        ? 'The operator pauses: it takes no more events until it is resumed, and its daemons and timers stop.'
        : 'The operator goes on: all objects are listed again.';
    if (dryRun) return { dryRun, text, done: false };
    if (action === 'pause') operator.pause(`${user} has paused it in the console${reason ? `: ${reason}` : '.'}`);
    else operator.resume();
    logger.log(`The console was asked to ${action} the operator by ${user}.`);
    this.history.noteAction(`${action} the operator`, user, undefined);
    return { dryRun, text, done: true };
  }

  private showMemo({ dryRun = true }: ConsoleActionRequest, body: KubeObject): ConsoleActionAnswer {
    const memory = this.services.lifecycle.engine?.inventory.find(body.metadata.uid ?? '');
    if (!memory) throw new ConsoleError(404, 'The operator remembers nothing of this object.');
    return { dryRun, text: 'This is the memo of the object.', done: true, result: this.concealment.data(memory.memo) };
  }

  /** @throws ConsoleError 404 if there is no such object, 409 if another one has its name now. */
  private async read({ object }: ConsoleActionRequest, signal: AbortSignal) {
    if (!object) throw new ConsoleError(400, 'The object is missing.');
    const resource = this.catalog.findResource(object.resource);
    if (!resource) throw new ConsoleError(404, `The operator does not watch ${object.resource}.`);
    const body = await readObject(this.services.api, resource, object, signal);
    if (object.uid !== undefined && object.uid !== body.metadata.uid) {
      throw new ConsoleError(409, 'The object was deleted, and another one has its name now.');
    }
    return { resource, body };
  }

  private planRelease(body: KubeObject): ObjectPlan {
    const { finalizer, formerFinalizers } = this.services.settings.persistence;
    const { deletionTimestamp, finalizers = [] } = body.metadata;
    if (!deletionTimestamp) throw new ConsoleError(400, 'The object is not being deleted, so that nothing holds it.');
    const present = [finalizer, ...formerFinalizers].filter((name) => finalizers.includes(name));
    if (present.length === 0) return { text: `The object does not have the finalizer ${finalizer}.` };
    const { object } = createReleasePatches(body, { finalizers: present, annotations: [], status: [] });
    const text = `The finalizer ${present.join(', ')} is removed: the object goes, and its handlers of the deletion are not called any more.`;
    return { text, patch: object as Record<string, unknown> };
  }

  private planRecords(action: ConsoleAction, { handler, seconds }: ConsoleActionRequest, body: KubeObject): ObjectPlan {
    const { settings, clock, registry, lifecycle } = this.services;
    const storage = settings.persistence.progressStorage;
    const known = lifecycle.engine?.inventory.find(body.metadata.uid ?? '')?.knownProgress?.keys() ?? [];
    const ids = new Set([...registry.allChanging().map(({ id }) => id), ...known]);
    const records = findRecords(storage, ids, body, handler);
    if (records.length === 0) {
      throw new ConsoleError(
        404,
        handler === undefined
          ? 'No handler waits.'
          : `The handler ${handler} does not wait: it has finished, or was not called.`,
      );
    }
    const { change, text } = planRecordAction(action, { handler, seconds }, clock.now());
    const names = records.flatMap(({ id, isParent }) => (isParent ? [] : [id])).join(', ');
    const patch = new ResourcePatch();
    // A sub-handler is called, or found to be done, when its parent is called.
    rewriteRecords(
      storage,
      records,
      body,
      patch,
      merging(change),
      action === 'postpone' ? undefined : merging(CALL_NOW),
    );
    const { status, ...rest } = (patch.toMergePatch() ?? {}) as Record<string, unknown>;
    return {
      text: text(names),
      ...(Object.keys(rest).length > 0 && { patch: rest }),
      ...(status !== undefined && { status }),
    };
  }

  private showPatch(resource: Resource, plan: ObjectPlan): unknown {
    if (!plan.patch && plan.status === undefined) return undefined;
    return this.concealment.redactor.patch(resource, toPatch(plan));
  }

  /** Names who has done it: in a Kubernetes event on the object, in the log, and in the event log. */
  private async tell(
    action: ConsoleAction,
    { object, handler, reason }: ConsoleActionRequest,
    { user }: ConsoleViewer,
    body: KubeObject,
    text: string,
  ): Promise<void> {
    const { events, logger } = this.services;
    const what = `${action}${handler === undefined ? '' : ` ${handler}`}`;
    const message = `${user} has asked for it in the console (${what})${reason ? `: ${reason}` : ''}. ${text}`;
    logger.log(`The console was asked by ${user} to ${what} of ${object?.namespace ?? ''}/${object?.name ?? ''}.`);
    this.history.noteAction(what, user, object && { ...object, uid: body.metadata.uid });
    await events.post({
      about: body,
      type: 'Normal',
      reason: `Console${action[0].toUpperCase()}${action.slice(1)}`,
      message,
    });
  }
}

function toPatch({ patch, status }: ObjectPlan): Record<string, unknown> {
  return { ...patch, ...(status !== undefined && { status }) };
}

function merging(change: Partial<ProgressRecord>): RecordChange {
  return (record) => ({ ...record, ...change });
}
