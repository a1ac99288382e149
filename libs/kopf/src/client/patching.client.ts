import { ApiConflictError, ApiNotFoundError, ApiUnprocessableEntityError } from '../errors/api.errors.js';
import type { KubeObject } from '../interfaces/kube-object.interface.js';
import type { KopfLogger } from '../interfaces/logger.interface.js';
import type { Resource } from '../interfaces/resource.interface.js';
import type { JsonPatchOperation } from '../structs/json-patch.js';
import { buildTransformationOps, ResourcePatch } from '../structs/patches.js';
import { resourceUrl } from '../structs/resources.js';
import type { KubeApi } from './api.client.js';

/** What is patched, and how. */
export interface PatchRequest {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly name: string;
  /** The object as known so far; transformations apply to it unless the merge patch brings a newer one. */
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** The object's logger. @default the client's */
  readonly logger?: KopfLogger;
  readonly signal?: AbortSignal;
}

/** What came of a patch. */
export interface PatchResult {
  /** The newest object, if anything was sent and the object is there. */
  readonly body?: KubeObject;
  /** The transformations that were not applied, as the object had changed meanwhile; to be sent with the next patch. */
  readonly remaining?: ResourcePatch;
}

/** Sends the changes of objects in as few requests as possible: none to four. */
export class PatchingClient {
  constructor(
    private readonly api: KubeApi,
    private readonly logger: KopfLogger,
  ) {}

  /**
   * Sends a patch: its fields as merge patches, then its transformations as JSON patches, which apply only to the version
   * that they were made for; each of both for the object and for its status, if this is a subresource.
   *
   * An object that does not exist any more is no error: nothing is returned then.
   *
   * @throws ApiError, ConnectionError, LoginError after all retries.
   */
  async applyPatch(request: PatchRequest): Promise<PatchResult> {
    try {
      const merged = await this.merge(request);
      return request.patch.transformations.length ? await this.transform(request, merged) : { body: merged };
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
      this.loggerOf(request).debug('Patching was skipped: the object does not exist anymore.');
      return {};
    }
  }

  private async merge(request: PatchRequest): Promise<KubeObject | undefined> {
    const fields = request.patch.toMergePatch();
    if (!fields) return undefined;
    const { status, ...others } = fields;
    if (!('status' in fields) || !hasStatus(request.resource)) return this.send(request, 'merge', fields);
    const body = Object.keys(others).length ? await this.send(request, 'merge', others) : undefined;
    return isEmpty(status) ? body : this.send(request, 'merge', { status }, 'status');
  }

  private async transform(request: PatchRequest, merged: KubeObject | undefined): Promise<PatchResult> {
    const { resource, patch } = request;
    let fresh = merged ?? request.body;
    let sent = merged;
    const operations = buildTransformationOps(fresh, patch.transformations);
    const separate = hasStatus(resource) ? operations.filter(isOfStatus) : [];
    const main = separate.length ? operations.filter((operation) => !isOfStatus(operation)) : operations;
    try {
      if (main.length) sent = fresh = await this.send(request, 'json', guard(fresh, main));
      if (separate.length) sent = await this.send(request, 'json', guard(fresh, separate), 'status');
      return { body: sent };
    } catch (error) {
      if (!isConflict(error)) throw error;
      this.loggerOf(request).debug(
        'The object has changed meanwhile, so the rest of the patch is sent in the next cycle.',
      );
      return { body: sent, remaining: new ResourcePatch(patch.transformations) };
    }
  }

  private send(
    request: PatchRequest,
    type: 'merge' | 'json',
    payload: unknown,
    subresource?: string,
  ): Promise<KubeObject> {
    const { resource, namespace, name, signal } = request;
    const logger = this.loggerOf(request);
    logger.debug(() => `Patching the ${subresource ?? 'object'} (${type}): ${JSON.stringify(payload)}`);
    const path = resourceUrl(resource, { namespace, name, subresource });
    return this.api.patch<KubeObject>(path, type, payload, { logger, signal });
  }

  private loggerOf({ logger = this.logger }: PatchRequest): KopfLogger {
    return logger;
  }
}

/** Whether the object has changed meanwhile. An object that would be invalid, of which the server says why, is so next time, too. */
function isConflict(error: unknown): boolean {
  if (error instanceof ApiConflictError) return true;
  return error instanceof ApiUnprocessableEntityError && !error.details?.causes?.length;
}

function hasStatus(resource: Resource): boolean {
  return resource.subresources.includes('status');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isOfStatus({ path }: JsonPatchOperation): boolean {
  return path === '/status' || path.startsWith('/status/');
}

/** Lets a JSON patch apply only to the version that it was made for. */
function guard({ metadata }: KubeObject, operations: JsonPatchOperation[]): JsonPatchOperation[] {
  const value = metadata.resourceVersion ?? null;
  return [{ op: 'test', path: '/metadata/resourceVersion', value }, ...operations];
}
