import { ApiForbiddenError } from '../../client/api/api.errors.js';
import { EventsClient } from '../../client/api/events.client.js';
import { ifFound } from '../../client/api/object.reader.js';
import { createReleasePatches, planRelease } from '../../inspection/explanation/releasing.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Redactor } from '../../resources/redactor.js';
import { resourceUrl } from '../../resources/resources.js';
import { PostingSettings } from '../../settings/operator.settings.js';
import { patchObject } from './object.patching.js';
import { CALL_NOW, planRecordAction } from './record.action.js';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest } from '../console.api.js';
import { ConsoleError } from '../../inspection/inspection.error.js';
import type { ConsoleViewer } from '../../inspection/operator.inspection.js';
import { reviewAccess } from '../../inspection/cluster/access.review.js';
import type { ClusterHistory } from '../../inspection/cluster/cluster.history.js';
import type { ClusterTools } from '../../inspection/cluster/cluster.tools.js';
import type { ObservedEntry } from '../../inspection/cluster/observed.objects.js';
import { referenceOf } from '../../inspection/cluster/observed.query.js';
import { rewriteStored, selectStored } from '../../inspection/cluster/stored.rewriting.js';

/** Lists the dependencies of the actions. */
export interface ActionParts {
  readonly tools: ClusterTools;
  readonly history: ClusterHistory;
  readonly redactor: Redactor;
}

type Patch = Readonly<Record<string, unknown>>;

/** Changes the state of operators on objects, with the permissions of the user; the operators see it as any other change, and go on. */
export class ClusterActions {
  constructor(private readonly parts: ActionParts) {}

  /** Tells whether the user may do this: to change an object is all that there is to it. */
  mayAct(action: ConsoleAction, { resource, object }: ObservedEntry, signal: AbortSignal): Promise<boolean> {
    const { namespace, name } = object;
    return reviewAccess(this.parts.tools.api, { verb: 'patch', resource, namespace, name }, signal);
  }

  /** @throws ConsoleError 404 if there is no such object or handler, 409 if the object has changed meanwhile. */
  async act(
    action: ConsoleAction,
    entry: ObservedEntry,
    request: ConsoleActionRequest,
    { user }: ConsoleViewer,
    signal: AbortSignal,
  ): Promise<ConsoleActionAnswer> {
    const { tools, redactor, history } = this.parts;
    const { resource } = entry;
    const body = await this.read(entry, request, signal);
    const { text, patch } = action === 'release' ? this.planRelease(body) : this.planRecords(action, request, body);
    const { dryRun = true, handler } = request;
    const answer = { dryRun, text, patch: redactor.patch(resource, patch) };
    if (dryRun) return { ...answer, done: false };
    await patchObject({ api: tools.api, redactor }, resource, body, patch, signal);
    const what = `${action}${handler === undefined ? '' : ` ${handler}`}`;
    const actor = { kind: 'user', name: user } as const;
    history.note(referenceOf(entry), [{ type: 'operation', actor, text: `${what}: ${text}` }]);
    await this.tell(body, action, `${user} has asked for it by kopf console (${what}). ${text}`, signal);
    return { ...answer, done: true };
  }

  /** Names who has done it in a Kubernetes event on the object, if the user may create one. */
  private async tell(body: KubeObject, action: ConsoleAction, message: string, signal: AbortSignal): Promise<void> {
    const { api, clock, logger } = this.parts.tools;
    const events = new EventsClient(api, new PostingSettings(), clock, logger);
    const reason = `Console${action[0].toUpperCase()}${action.slice(1)}`;
    await events.post({ about: body, type: 'Normal', reason, message, signal });
  }

  private async read(
    { resource, object }: ObservedEntry,
    request: ConsoleActionRequest,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { namespace, name } = object;
    const url = resourceUrl(resource, { namespace, name });
    try {
      const body = await ifFound(this.parts.tools.api.get<KubeObject>(url, { signal, retries: false }));
      if (!body) throw new ConsoleError(404, 'The object does not exist any more.');
      const { uid } = request.object ?? {};
      if (uid === undefined || uid === body.metadata.uid) return body;
    } catch (error) {
      if (error instanceof ApiForbiddenError) throw new ConsoleError(403, 'You may not read this object.');
      throw error;
    }
    throw new ConsoleError(409, 'The object was deleted, and another one has its name now.');
  }

  private planRelease(body: KubeObject): { readonly text: string; readonly patch: Patch } {
    if (!body.metadata.deletionTimestamp) {
      throw new ConsoleError(400, 'The object is not being deleted, so that nothing holds it.');
    }
    const scope = { finalizers: [], only: 'finalizers' } as const;
    const release = planRelease(body, scope, this.parts.tools.clock.now());
    const names = release.finalizers.join(', ');
    if (!names) throw new ConsoleError(404, "The object has no operator's finalizer.");
    const text = `Removed: ${names}. The object goes, and its handlers of the deletion are not called any more.`;
    return { text, patch: createReleasePatches(body, release).object as Patch };
  }

  private planRecords(
    action: ConsoleAction,
    request: ConsoleActionRequest,
    body: KubeObject,
  ): { readonly text: string; readonly patch: Patch } {
    const { handler } = request;
    const now = this.parts.tools.clock.now();
    const { change, text } = planRecordAction(action, request, now);
    const { meant, parents } = selectStored(body, handler, now);
    if (meant.length === 0) {
      throw new ConsoleError(
        404,
        handler === undefined ? 'No handler waits.' : `The handler ${handler} does not wait.`,
      );
    }
    const patch = rewriteStored(body, [
      ...meant.map((record) => ({ record, change })),
      // A sub-handler is called, or found to be done, when its parent is called.
      ...(action === 'postpone' ? [] : parents.map((record) => ({ record, change: CALL_NOW }))),
    ]);
    return { text: text(meant.map(({ id }) => id).join(', ')), patch };
  }
}
