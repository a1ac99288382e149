import { Injectable } from '@nestjs/common';
import { KubeApi } from '../../client/api/api.client.js';
import { type Clock, deepCopy, deepEqual, errorText, isMap, type JsonMap } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { AdmissionRequest, UserInfo } from '../../reviews/admission.review.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../../kopf.tokens.js';
import { dropEmptyParts } from '../../objects/essences.js';
import { isEmptyMap, removeField } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import type { Resource } from '../../resources/resources.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { isDeletionBlocked, isDeletionOngoing } from '../../state/finalizers.js';

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** The milliseconds for which the operator's user name is not requested again. */
const NAME_LIFETIME = 60_000;

/** The seconds for the request of the operator's user name, as a review waits for it. */
const NAME_TIMEOUT = 2;

/**
 * The extent of an update by the operator itself: `state` if it changes nothing but the operator's finalizer, annotations, and fields of
 * the status; `status` if it changes other fields of the status, too.
 */
export type OwnUpdate = 'state' | 'status';

/** The metadata that the API server sets. */
const SERVER_FIELDS = [
  'managedFields',
  'resourceVersion',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
];

/**
 * The recognition of updates by which the operator stores its own state on an object: its finalizer, its annotations, its fields of the
 * status. They are no changes by users. An object that breaks a rule, as it is older than the rule, must be handled and deleted all the
 * same.
 */
@Injectable()
export class OwnUpdates {
  private name?: { readonly value: Promise<string | undefined>; readonly askedAt: number };

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(KubeApi) private readonly api: KubeApi,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Recognises an update by the operator itself. An update of nothing but the state counts as one also if the operator does not know its
   * user name, and if it removes the finalizer from an object that is being deleted.
   *
   * @returns a promise only if the user name of the operator has to be requested.
   */
  recognise(request: AdmissionRequest, resource: Resource): OwnUpdate | undefined | Promise<OwnUpdate | undefined> {
    const { operation, object, oldObject, subResource } = request;
    if (operation !== 'UPDATE' || !isObject(object) || !isObject(oldObject)) return undefined;
    if (subResource && subResource !== 'status') return undefined;
    if (!this.changesState(oldObject, object)) return undefined;
    const { status: oldStatus, ...before } = this.withoutState(oldObject, resource);
    const { status, ...after } = this.withoutState(object, resource);
    if (!deepEqual(before, after)) return undefined;
    // The operator writes the status, but other controllers can write it, too.
    if (!deepEqual(oldStatus, status)) return this.identify(request.userInfo, 'status');
    return this.isReleased(oldObject, object) ? 'state' : this.identify(request.userInfo, 'state');
  }

  /** Whether anything has changed that can contain state; most updates have no such change. */
  private changesState(old: KubeObject, { metadata, status }: KubeObject): boolean {
    return (
      !deepEqual(old.metadata.finalizers, metadata.finalizers) ||
      !deepEqual(old.metadata.annotations, metadata.annotations) ||
      !deepEqual(old.status, status)
    );
  }

  private withoutState(body: KubeObject, resource: Resource): JsonMap {
    const { finalizer, formerFinalizers, progressStorage, diffbaseStorage } = this.settings.persistence;
    const own = [finalizer, ...formerFinalizers];
    const copy = deepCopy(body) as unknown as JsonMap & { metadata: JsonMap; status?: unknown };
    const { metadata } = copy;
    for (const field of SERVER_FIELDS) delete metadata[field];
    const finalizers = body.metadata.finalizers?.filter((other) => !own.includes(other)) ?? [];
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    else delete metadata.finalizers;
    for (const storage of [diffbaseStorage, progressStorage]) {
      for (const field of storage.ownFields?.(body) ?? []) removeField(copy, field);
    }
    progressStorage.clear(copy);
    this.removeResults(copy.status, resource);
    dropEmptyParts(copy);
    return copy;
  }

  /** Removes the results of handlers, which are in the status by the ids of the handlers. */
  private removeResults(status: unknown, resource: Resource): void {
    if (!isMap(status)) return;
    // The parents of the state may have been added together with it.
    for (const [key, value] of Object.entries(status)) if (isMap(value) && isEmptyMap(value)) delete status[key];
    const { owned, spawning } = this.registry.handlersOf(resource);
    const ids = [...owned, ...spawning].map(({ id }) => id);
    for (const key of Object.keys(status)) {
      if (ids.some((id) => key === id || key.startsWith(`${id}/`))) delete status[key];
    }
  }

  /** Whether an update removes the operator's finalizer from an object that is being deleted, by any client. */
  private isReleased(old: KubeObject, object: KubeObject): boolean {
    const { finalizer, formerFinalizers } = this.settings.persistence;
    const isHeld = (body: KubeObject): boolean => isDeletionBlocked(body, finalizer, formerFinalizers);
    return isDeletionOngoing(old) && isHeld(old) && !isHeld(object);
  }

  private async identify({ username }: UserInfo = {}, update: OwnUpdate): Promise<OwnUpdate | undefined> {
    const now = this.clock.monotonic();
    const known = await this.name?.value;
    // The credentials may have changed during the request.
    if (!this.name || (known !== username && now - this.name.askedAt >= NAME_LIFETIME)) {
      this.name = { value: this.askName(), askedAt: now };
    }
    const own = await this.name.value;
    const isOwn = own === undefined ? update === 'state' : own === username;
    return isOwn ? update : undefined;
  }

  private async askName(): Promise<string | undefined> {
    const question = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    try {
      const { status } = (await this.api.post(SELF, question, { retries: false, timeout: NAME_TIMEOUT })) as {
        status?: { userInfo?: UserInfo };
      };
      return status?.userInfo?.username;
    } catch (error) {
      this.logger.debug(() => `The operator does not know by which name the API server knows it: ${errorText(error)}`);
      return undefined;
    }
  }
}

function isObject(value: unknown): value is KubeObject {
  return isMap(value) && isMap(value.metadata);
}
