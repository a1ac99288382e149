import { ApiClientError, ApiConflictError, ApiError, ApiUnprocessableEntityError, isTooLarge } from './api.errors.js';
import { type ObjectDiff, diff } from '../../objects/diffs.js';
import { type KubeObject, isOlderVersion } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { checkName } from '../../resources/object.names.js';
import { type Resource, resourceApiVersion, resourceUrl } from '../../resources/resources.js';
import { applyMergePatch, isMap, type JsonMap, stringifyJson } from 'kube-common';
import { ownedFields, pendingRemovals } from '../../objects/applied-fields.js';
import type { PatchingSettings } from '../../settings/handling.settings.js';
import { computeJsonPatch, type JsonPatchOperation } from '../../objects/json-patch.js';
import type { FieldTransformation, UnconfirmedChanges, UnsentPatch } from '../../objects/patch-content.js';
import { exceptStatus, ofStatusOnly, transformed } from '../../objects/transformations.js';
import type { KubeApi } from './api.client.js';
import type { ObjectReader } from './object.reader.js';
import type { SentPart, PatchRequest, PatchResult } from './patch.request.js';
import { isOutcomeUnknown } from '../http/retry.policy.js';

/** The most attempts to send the status for newer versions of the object, after which this counts as a conflict. */
const STATUS_ATTEMPTS = 5;

/** The messages by which API servers say that a webhook or a policy has denied a request. */
const DENIAL = /\bdenied (the )?request\b/;

/** The error of an object that turns out to be deleted. */
class ObjectGone extends Error {}

/** The error of a transformation by a user that has thrown. */
class TransformationError extends Error {}

/**
 * The meaning of an error for a patch: the object is gone or has changed, the API server rejects the patch, answers with an error that may
 * be temporary, or does not answer.
 */
type Evaluation = 'gone' | 'conflict' | 'refused' | 'answered' | 'failed';

/** A JSON patch of the object or of its status. */
interface VersionPatch {
  readonly operations: readonly JsonPatchOperation[];
  readonly changes: () => ObjectDiff;
  readonly subresource?: 'status';
}

/** The early end of a patch, before all of it is sent. */
class SequenceInterruption extends Error {
  constructor(
    readonly evaluation: Evaluation,
    readonly reason: unknown,
  ) {
    super();
  }
}

/**
 * The requests of one patch.
 *
 * The status goes first: the results of handlers must be stored before the object shows that the handlers have succeeded. A merge patch
 * contains the uid of its object, which the API server compares. A JSON patch tests the resource version, which no other object has. The
 * status of a custom resource is stored without a comparison of the uid, so its patch contains the version, too.
 */
export class PatchSequence {
  /** The newest state of the object in a response. */
  private newest?: KubeObject;
  /** The fields that are still to be sent. */
  private fields: JsonMap;
  private transformations: readonly FieldTransformation[];
  /** The changes of JSON patches whose responses were lost. */
  private unconfirmed: readonly UnconfirmedChanges[];
  /** The rejected parts. */
  private readonly refused: SentPart[] = [];
  /** The error of the first rejected part. */
  private rejection?: Error;

  constructor(
    private readonly api: KubeApi,
    private readonly reader: ObjectReader,
    private readonly request: PatchRequest,
    private readonly logger: KopfLogger,
    private readonly settings: PatchingSettings,
  ) {
    this.fields = request.patch.toMergePatch() ?? {};
    this.transformations = request.patch.transformations;
    this.unconfirmed = request.patch.unconfirmed;
  }

  async send(): Promise<PatchResult> {
    try {
      if (hasStatus(this.request.resource) && 'status' in this.fields) {
        await this.attempt('status', this.mergeStatus());
        const { status: _, ...others } = this.fields;
        this.fields = others;
      }
      if (!isEmpty(this.fields)) await this.attempt('object', this.mergeObject());
      this.fields = {};
      if (this.transformations.length > 0) await this.attempt('transformations', this.transform());
      this.transformations = [];
      return this.rejection ? this.reportRejection() : { outcome: 'stored', body: this.newest };
    } catch (interruption) {
      return this.explain(interruption as SequenceInterruption);
    }
  }

  /** Sends one part. If the parts are sent separately, its rejection is recorded, and the other parts are sent nevertheless. */
  private attempt(part: SentPart, sent: Promise<void>): Promise<void> {
    return sent.catch((error: unknown) => this.endAttempt(part, error));
  }

  /** Evaluates the error of a part. @throws SequenceInterruption unless the other parts can be sent */
  private async endAttempt(part: SentPart, error: unknown): Promise<void> {
    if (error instanceof SequenceInterruption) throw error;
    const evaluation = await this.evaluate(error);
    if (evaluation === 'refused') {
      this.refused.push(part);
      this.rejection ??= error instanceof TransformationError ? (error.cause as Error) : (error as Error);
      if (this.request.separately) return;
    }
    throw new SequenceInterruption(evaluation, error);
  }

  private async mergeStatus(): Promise<void> {
    const { status, ...others } = this.fields;
    if (this.isApplied) await this.apply({ status }, 'status');
    else if (!isEmpty(status)) await this.mergeStatusOf(this.request.body, status, STATUS_ATTEMPTS);
    this.fields = others;
  }

  private async mergeStatusOf({ metadata }: KubeObject, status: unknown, attempts: number): Promise<void> {
    const { uid, resourceVersion } = metadata;
    const payload = uid === undefined ? { status } : { metadata: { uid, resourceVersion }, status };
    try {
      this.newest = await this.patch('merge', payload, 'status');
    } catch (error) {
      if (!(error instanceof ApiConflictError) || uid === undefined || attempts <= 1) throw error;
      await this.mergeStatusOf(await this.read(), status, attempts - 1);
    }
  }

  private async mergeObject(): Promise<void> {
    if (this.isApplied) this.fields = (await this.apply(this.fields)) ?? {};
    if (isEmpty(this.fields)) return;
    const { uid } = this.request.body.metadata;
    const metadata = uid === undefined ? this.fields.metadata : { ...(this.fields.metadata as JsonMap), uid };
    this.newest = await this.patch('merge', metadata === undefined ? this.fields : { ...this.fields, metadata });
    this.fields = {};
  }

  /** Whether fields are applied. Without a uid, it would be unknown which object they are applied to. */
  private get isApplied(): boolean {
    return this.settings.mode === 'apply' && this.request.body.metadata.uid !== undefined;
  }

  /**
   * Applies fields together with those that the operator has applied before, which would be removed otherwise. The latter belong to one
   * version of the object, so it is read again if it has changed.
   *
   * @returns the removals that are left to be merged, as other owners have applied those fields, too.
   */
  private async apply(
    fields: JsonMap,
    subresource?: 'status',
    body = this.newest ?? this.request.body,
    attempts = STATUS_ATTEMPTS,
  ): Promise<JsonMap | undefined> {
    const { resource } = this.request;
    // A missing list of owners was omitted from this state.
    const isWhole = body.metadata.managedFields !== undefined || attempts < STATUS_ATTEMPTS;
    if (!isWhole) return this.apply(fields, subresource, await this.read(), attempts - 1);
    const { metadata, ...wanted } = applyMergePatch(
      ownedFields(body, this.settings.fieldManager, subresource),
      fields,
    ) as JsonMap;
    const { name, namespace, uid, resourceVersion } = body.metadata;
    const identity = { ...(metadata as JsonMap), name, namespace, uid, resourceVersion };
    const payload = { apiVersion: resourceApiVersion(resource), kind: resource.kind, metadata: identity, ...wanted };
    try {
      this.newest = await this.patch('apply', payload, subresource);
    } catch (error) {
      if (!(error instanceof ApiConflictError) || isOwnedByOthers(error) || attempts <= 1) throw error;
      return this.apply(fields, subresource, await this.read(), attempts - 1);
    }
    const left = pendingRemovals(fields, this.newest);
    if (!left || !subresource) return left;
    await this.mergeStatusOf(this.newest, left.status, STATUS_ATTEMPTS);
    return undefined;
  }

  private async transform(): Promise<void> {
    const { patch } = this.request;
    const before = this.newest ?? this.request.body;
    this.transformations = patch.transformationsFor(before);
    const { resourceVersion = '' } = before.metadata;
    this.unconfirmed = this.unconfirmed.filter(({ version }) => !isOlderVersion(version, resourceVersion));
    const after = this.applyTo(before, this.transformations);
    const operations = computeJsonPatch(before, after);
    if (operations.length > 0) await this.sendOperations(operations, before, after);
    this.transformations = [];
  }

  /** Sends a JSON patch of the object, and one of its status. */
  private async sendOperations(
    operations: readonly JsonPatchOperation[],
    before: KubeObject,
    after: KubeObject,
  ): Promise<void> {
    if (!hasStatus(this.request.resource) || !operations.some(isOfStatus)) {
      return this.patchVersion({ operations, changes: () => diff(before, after) }, []);
    }
    const object: VersionPatch = {
      operations: operations.filter((operation) => !isOfStatus(operation)),
      changes: () => diff(before, after).filter(([, [top]]) => top !== 'status'),
    };
    const status: VersionPatch = {
      operations: operations.filter(isOfStatus),
      changes: () => diff({ status: before.status }, { status: after.status }),
      subresource: 'status',
    };
    if (object.operations.length === 0) return this.patchVersion(status, []);
    // The status of an object that loses its last finalizer could not be stored any more.
    const isStatusFirst = isReleased(before, after);
    const [first, second] = isStatusFirst ? [status, object] : [object, status];
    // The rest may need another attempt, which must not repeat changes that are stored.
    const rest = isStatusFirst ? exceptStatus(this.transformations) : ofStatusOnly(this.transformations);
    await this.attempt('transformations', this.patchVersion(first, rest));
    this.transformations = rest;
    return this.patchVersion(second, []);
  }

  /**
   * Sends a JSON patch that applies only to the version that it was made for.
   *
   * @param rest the transformations that are still to be sent after it
   */
  private async patchVersion(
    { operations, changes, subresource }: VersionPatch,
    rest: readonly FieldTransformation[],
  ): Promise<void> {
    const version = (this.newest ?? this.request.body).metadata.resourceVersion;
    const test = { op: 'test', path: '/metadata/resourceVersion', value: version ?? null };
    let isRepeated = false;
    try {
      this.newest = await this.patch('json', [test, ...operations], subresource, () => (isRepeated = true));
    } catch (error) {
      if (isRepeated || isOutcomeUnknown(error)) this.addUnconfirmed({ changes: changes(), rest, version });
      throw error;
    }
  }

  private addUnconfirmed(lost: Omit<UnconfirmedChanges, 'transformations'>): void {
    const { transformations } = this;
    const others = this.unconfirmed.filter((earlier) => !haveSameSteps(earlier.transformations, transformations));
    this.unconfirmed = [...others, { ...lost, transformations }];
  }

  private applyTo(body: KubeObject, transformations: readonly FieldTransformation[]): KubeObject {
    try {
      return transformed(body, transformations);
    } catch (error) {
      throw new TransformationError('A transformation of the patch has failed.', { cause: error });
    }
  }

  private patch(
    type: 'merge' | 'json' | 'apply',
    payload: unknown,
    subresource?: string,
    onRepeat?: () => void,
  ): Promise<KubeObject> {
    const { resource, body, signal, fence } = this.request;
    const { logger } = this;
    const { name, namespace } = body.metadata;
    checkName(name, `The name of the ${resource.kind} that is patched`);
    logger.debug(() => `Patching the ${subresource ?? 'object'} (${type}).`);
    logger.verbose?.(() => `The patch is: ${stringifyJson(this.api.redactor.patch(resource, payload))}`);
    const { fieldManager, force } = this.settings;
    const query = type === 'apply' ? { fieldManager, force: force ? 'true' : undefined } : undefined;
    const path = resourceUrl(resource, { namespace, name, subresource, query });
    const retries = this.request.once ? false : undefined;
    return this.api.patch<KubeObject>(path, type, payload, { logger, signal, fence, onRepeat, retries });
  }

  private async read(): Promise<KubeObject> {
    const { resource, body, signal } = this.request;
    const found = await this.reader.read(resource, body.metadata, signal);
    if (!found) throw new ObjectGone();
    return found;
  }

  private explain({ evaluation, reason: error }: SequenceInterruption): PatchResult {
    const body = this.newest;
    if (evaluation === 'gone') return this.reportGone();
    if (this.rejection) return this.reportRejection();
    const { unsent } = this;
    if (evaluation === 'conflict') {
      this.logger.debug('The object has changed meanwhile, so the rest of the patch is sent in the next cycle.');
      return { outcome: 'conflict', body, unsent, error: error as Error };
    }
    return { outcome: 'failed', body, unsent, error, isAnswered: evaluation === 'answered' };
  }

  /** Determines the meaning of an error for the patch. */
  private async evaluate(error: unknown): Promise<Evaluation> {
    if (error instanceof ObjectGone || isOfAnotherObject(error)) return 'gone';
    if (error instanceof TransformationError || isUnsendable(error)) return 'refused';
    if (!(error instanceof ApiError)) return 'failed';
    if (isOwnedByOthers(error) || isDenial(error)) return 'refused';
    const { once } = this.request;
    if (!isConflict(error) && isRejection(error)) return 'refused';
    if (isConflict(error) && !once) return 'conflict';
    // Webhooks, proxies, and subresources that are not served answer with the same statuses for objects that exist, and a server may fail
    // for some requests only. So the object is read.
    try {
      const { resource, body, signal } = this.request;
      const found = await this.reader.read(resource, body.metadata, signal, false);
      if (!found) return 'gone';
      if (isConflict(error) && isNewer(found, this.newest ?? body)) {
        this.newest = found;
        return 'conflict';
      }
    } catch (reason) {
      if (!(reason instanceof ApiClientError)) return 'failed';
    }
    return once ? 'refused' : 'answered';
  }

  private reportRejection(): PatchResult {
    return {
      outcome: 'rejected',
      body: this.newest,
      error: this.rejection!,
      parts: [...new Set(this.refused)],
      unsent: this.unsent,
    };
  }

  private reportGone(): PatchResult {
    this.logger.debug('Patching was skipped: the object does not exist anymore.');
    return { outcome: 'gone' };
  }

  private get unsent(): UnsentPatch {
    const { fields } = this;
    const unconfirmed = this.unconfirmed.length > 0 ? this.unconfirmed : undefined;
    const transformations = this.transformations.filter(({ isDecidedAnew }) => !isDecidedAnew);
    return { fields, transformations, unconfirmed };
  }
}

/**
 * Whether the object has changed in the meantime. An object that is invalid for the server, by a `Status` with causes, would be rejected
 * again, and is no conflict.
 */
function isConflict(error: unknown): boolean {
  if (error instanceof ApiConflictError) return true;
  return error instanceof ApiUnprocessableEntityError && !hasCauses(error) && !isDenial(error);
}

function isNewer({ metadata }: KubeObject, known: KubeObject): boolean {
  return isOlderVersion(known.metadata.resourceVersion, metadata.resourceVersion ?? '');
}

function isRejection(error: ApiError): boolean {
  return error.status === 400 || error.status === 422 || isTooLarge(error);
}

/** Whether the patch could not be made a request, which is not the fault of the API server. */
function isUnsendable(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError;
}

function isDenial({ statusMessage = '' }: ApiError): boolean {
  return DENIAL.test(statusMessage);
}

function hasCauses({ details }: ApiError): boolean {
  return (details?.causes?.length ?? 0) > 0;
}

/** Whether fields were not applied because other owners have applied them. This does not change until one of the owners gives them up. */
function isOwnedByOthers(error: unknown): error is ApiConflictError {
  return (
    error instanceof ApiConflictError &&
    error.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true
  );
}

/** Whether the name belongs to another object now: API servers reject a uid for no other reason. */
function isOfAnotherObject(error: unknown): boolean {
  return (
    error instanceof ApiUnprocessableEntityError &&
    error.details?.causes?.some(({ field }) => field === 'metadata.uid') === true
  );
}

function hasStatus(resource: Resource): boolean {
  return resource.subresources.includes('status');
}

/** Whether two lists have the same transformations, except for those that each event cycle decides again. */
function haveSameSteps(some: readonly FieldTransformation[], others: readonly FieldTransformation[]): boolean {
  const isIn = (steps: readonly FieldTransformation[]) => (step: FieldTransformation) =>
    step.isDecidedAnew === true || steps.includes(step);
  return some.every(isIn(others)) && others.every(isIn(some));
}

function isEmpty(value: unknown): boolean {
  return isMap(value) && Object.keys(value).length === 0;
}

/** Whether the change removes the last finalizer of the object. */
function isReleased({ metadata }: KubeObject, after: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
}

function isOfStatus({ path }: JsonPatchOperation): boolean {
  return path === '/status' || path.startsWith('/status/');
}
