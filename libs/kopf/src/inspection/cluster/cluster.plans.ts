import { ApiForbiddenError } from '../../client/api/api.errors.js';
import { ifFound } from '../../client/api/object.reader.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Redactor } from '../../resources/redactor.js';
import { resourceUrl } from '../../resources/resources.js';
import { createReleasePatches, planRelease } from '../explanation/releasing.js';
import { InspectionError } from '../inspection.error.js';
import type { HandlingPlan, HandlingPlanRequest } from '../plans/handling.plan.js';
import { CALL_NOW, planRecordChange } from '../plans/record.plan.js';
import type { ClusterTools } from './cluster.tools.js';
import type { ObservedEntry } from './observed.objects.js';
import { rewriteStored, selectFailed, selectStored } from './stored.rewriting.js';

type PlannedChange = Required<Pick<HandlingPlan, 'text' | 'patch'>>;

/**
 * The plans of changes of the state that operators have left on objects, wherever it is stored; the operators see them as any other change.
 */
export class ClusterPlans {
  constructor(
    private readonly tools: ClusterTools,
    private readonly redactor: Redactor,
  ) {}

  /** @throws InspectionError 404 if there is no such object or handler, 409 if another object has its name now. */
  async plan(request: HandlingPlanRequest, entry: ObservedEntry, signal: AbortSignal): Promise<HandlingPlan> {
    const { redactor } = this;
    const { resource } = entry;
    const body = await this.read(entry, request, signal);
    const { text, patch } = request.change === 'release' ? this.planRelease(body) : this.planRecords(request, body);
    const isProtected = redactor.protects(resource);
    return { text, resource, body, patch, shownPatch: redactor.patch(resource, patch), isProtected };
  }

  private async read(
    { resource, object }: ObservedEntry,
    request: HandlingPlanRequest,
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { namespace, name } = object;
    const url = resourceUrl(resource, { namespace, name });
    try {
      const body = await ifFound(this.tools.api.get<KubeObject>(url, { signal, retries: false }));
      if (!body) throw new InspectionError(404, 'The object does not exist any more.');
      const { uid } = request.object;
      if (uid === undefined || uid === body.metadata.uid) return body;
    } catch (error) {
      if (error instanceof ApiForbiddenError) throw new InspectionError(403, 'You may not read this object.');
      throw error;
    }
    throw new InspectionError(409, 'The object was deleted, and another one has its name now.');
  }

  private planRelease(body: KubeObject): PlannedChange {
    if (!body.metadata.deletionTimestamp) {
      throw new InspectionError(400, 'The object is not being deleted, so that nothing holds it.');
    }
    const release = planRelease(body, { finalizers: [], only: 'finalizers' }, this.tools.clock.now());
    const names = release.finalizers.join(', ');
    if (!names) throw new InspectionError(404, "The object has no operator's finalizer.");
    const text = `Removed: ${names}. The object goes, and its handlers of the deletion are not called any more.`;
    return { text, patch: createReleasePatches(body, release).object as Record<string, unknown> };
  }

  private planRecords(request: HandlingPlanRequest, body: KubeObject): PlannedChange {
    const { handler, change: kind } = request;
    const now = this.tools.clock.now();
    const { change, text } = planRecordChange(request, now);
    const { meant, parents } = kind === 'repeat' ? selectFailed(body, now) : selectStored(body, handler, now);
    if (kind === 'repeat' && meant.length === 0) {
      throw new InspectionError(404, 'The object has no record of a handler that has failed for good.');
    }
    if (meant.length === 0) {
      throw new InspectionError(
        404,
        handler === undefined ? 'No handler waits.' : `The handler ${handler} does not wait.`,
      );
    }
    const patch = rewriteStored(body, [
      ...meant.map((record) => ({ record, change })),
      // A sub-handler is called, or found to be done, when its parent is called.
      ...(kind === 'postpone' ? [] : parents.map((record) => ({ record, change: CALL_NOW }))),
    ]);
    return { text: text(meant.map(({ id }) => id).join(', ')), patch };
  }
}
