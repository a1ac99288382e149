import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import type { Resource } from '../../resources/resources.js';
import type { ProgressRecord } from '../../state/storages.js';
import { createReleasePatches } from '../explanation/releasing.js';
import { InspectionError } from '../inspection.error.js';
import type { ObjectIdentity } from '../inspection.types.js';
import type { HandlingPlan, HandlingPlanRequest } from '../plans/handling.plan.js';
import { CALL_NOW, planRecordChange } from '../plans/record.plan.js';
import { planRepetition } from './handling.repetition.js';
import type { InspectedServices } from './inspected.services.js';
import type { ObjectStates } from './objects/object.states.js';
import type { ObjectCatalog } from './objects/object.catalog.js';
import { readObject } from './objects/object.reading.js';
import type { OperatorConcealment } from './operator.concealment.js';
import { findRecords, rewriteRecords, type RecordChange } from './progress.rewriting.js';

type PlannedChange = Pick<HandlingPlan, 'text' | 'patch'>;

/** The plans of changes of the state that the operator keeps on objects, in the places where its storages keep it. */
export class OperatorPlans {
  constructor(
    private readonly services: InspectedServices,
    private readonly concealment: OperatorConcealment,
    private readonly catalog: ObjectCatalog,
    private readonly states: ObjectStates,
  ) {}

  async plan(request: HandlingPlanRequest, signal: AbortSignal): Promise<HandlingPlan> {
    const { resource, body } = await this.read(request.object, signal);
    const { redactor } = this.concealment;
    const { text, patch } = request.change === 'release' ? this.planRelease(body) : this.planRecords(request, body);
    const isProtected = redactor.protects(resource);
    if (!patch) return { text, resource, body, isProtected };
    return { text, resource, body, patch, shownPatch: redactor.patch(resource, patch), isProtected };
  }

  /** Returns the ids of the handlers that have failed for good on the object, and can be called again. */
  findRepeatable(body: KubeObject): readonly string[] {
    return planRepetition(this.services, this.findIds(body), body, this.services.clock.now())?.handlers ?? [];
  }

  /** @throws InspectionError 409 while a handler runs: the operator would overwrite the progress when it returns. */
  private checkIdle({ metadata: { uid = '' } }: KubeObject): void {
    const running = this.states.of(uid)?.progress.find(({ state }) => state === 'running');
    if (running)
      throw new InspectionError(409, `The handler ${running.handler} is being called: wait until it returns.`);
  }

  /** The ids of the handlers of which the object can have records. */
  private findIds({ metadata: { uid = '' } }: KubeObject): ReadonlySet<string> {
    const { registry, lifecycle } = this.services;
    const known = lifecycle.engine?.inventory.find(uid)?.knownProgress?.keys() ?? [];
    return new Set([...registry.allChanging().map(({ id }) => id), ...known]);
  }

  /** The memo of an object, redacted. */
  async readMemo(object: ObjectIdentity, signal: AbortSignal): Promise<unknown> {
    const { resource, body } = await this.read(object, signal);
    const memory = this.services.lifecycle.engine?.inventory.find(body.metadata.uid ?? '');
    if (!memory) throw new InspectionError(404, 'The operator remembers nothing of this object.');
    return this.concealment.data(memory.memo, resource);
  }

  /** @throws InspectionError 404 if there is no such object, 409 if another one has its name now. */
  private async read(object: ObjectIdentity, signal: AbortSignal): Promise<{ resource: Resource; body: KubeObject }> {
    const resource = this.catalog.findResource(object.resource);
    if (!resource) throw new InspectionError(404, `The operator does not watch ${object.resource}.`);
    const body = await readObject(this.services.api, resource, object, signal);
    if (object.uid !== undefined && object.uid !== body.metadata.uid) {
      throw new InspectionError(409, 'The object was deleted, and another one has its name now.');
    }
    return { resource, body };
  }

  private planRelease(body: KubeObject): PlannedChange {
    const { finalizer, formerFinalizers } = this.services.settings.persistence;
    const { deletionTimestamp, finalizers = [] } = body.metadata;
    if (!deletionTimestamp)
      throw new InspectionError(400, 'The object is not being deleted, so that nothing holds it.');
    const present = [finalizer, ...formerFinalizers].filter((name) => finalizers.includes(name));
    if (present.length === 0) return { text: `The object does not have the finalizer ${finalizer}.` };
    const { object } = createReleasePatches(body, { finalizers: present, annotations: [], status: [] });
    const text = `The finalizer ${present.join(', ')} is removed: the object goes, and its handlers of the deletion are not called any more.`;
    return { text, patch: object as Record<string, unknown> };
  }

  private planRecords(request: HandlingPlanRequest, body: KubeObject): PlannedChange {
    const { settings, clock } = this.services;
    const { change: kind, handler } = request;
    this.checkIdle(body);
    const storage = settings.persistence.progressStorage;
    const ids = this.findIds(body);
    if (kind === 'repeat') {
      const repetition = planRepetition(this.services, ids, body, clock.now());
      if (repetition) return repetition;
      throw new InspectionError(404, 'No handler has failed for good that can be called again.');
    }
    const records = findRecords(storage, ids, body, handler);
    if (records.length === 0) {
      throw new InspectionError(
        404,
        handler === undefined
          ? 'No handler waits.'
          : `The handler ${handler} does not wait: it has finished, or was not called.`,
      );
    }
    const { change, text } = planRecordChange(request, clock.now());
    const names = records.flatMap(({ id, isParent }) => (isParent ? [] : [id])).join(', ');
    const patch = new ResourcePatch();
    // A sub-handler is called, or found to be done, when its parent is called.
    rewriteRecords(storage, records, body, patch, merging(change), kind === 'postpone' ? undefined : merging(CALL_NOW));
    return { text: text(names), patch: patch.toMergePatch() };
  }
}

function merging(change: Partial<ProgressRecord>): RecordChange {
  return (record) => ({ ...record, ...change });
}
