import { Inject, Injectable } from '@nestjs/common';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import type { SentPart, PatchRequest, PatchResult } from '../client/api/patch.request.js';
import { type Clock, getKey, isMap, type JsonMap } from 'kube-common';
import { isEmptyMap } from '../objects/field-path.js';
import type { KubeObject } from '../objects/kube-object.js';
import {
  addedContent,
  contentWithin,
  hasContent,
  NO_CONTENT,
  revertedFields,
  undoneFields,
  type PatchContent,
  type UnsentPatch,
} from '../objects/patch-content.js';
import { ResourcePatch } from '../objects/patches.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { ChangingHandler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { CycleEnd, EventCycle } from './event.cycle.js';
import type { ObjectMemory } from './object.memory.js';
import { BookkeepingHandling } from './bookkeeping.handling.js';
import type { BookkeepingPart } from './bookkeeping.rejection.js';
import { divideByHandler, type HandlerChange } from './handler.changes.js';

/**
 * The number of consecutive errors, each after the retries of the client, after which an error that may be temporary counts as a rejection.
 */
const PATIENCE = 2;

/** The number of consecutive conflicts after which they count as a rejection, unless the object has changed. */
const CONFLICTS = 6;

/**
 * The effect of a patch: an event will follow, nothing has changed, a conflict, or a part is rejected for the first time, so that the next
 * cycle has to do without it.
 */
export type PatchEffect = 'changed' | 'unchanged' | 'conflict' | 'refused';

/** The end of a cycle's patch. */
export interface PatchEnd {
  readonly effect: PatchEffect;
  /** Seconds until handlers are due. */
  readonly delays: readonly number[];
  /** Whether changes by event handlers were rejected, which the handlers would repeat at the event of a touch. */
  readonly isLossy: boolean;
}

/** The sending of one cycle's changes. */
interface Sending {
  readonly cycle: EventCycle;
  readonly end: CycleEnd;
  /** The newest known state of the object. */
  newest: KubeObject;
  delays: readonly number[];
  /** Whether a part of the framework's own changes is rejected for the first time. */
  isRefused: boolean;
  isLossy: boolean;
}

type RejectedResult = Extract<PatchResult, { outcome: 'rejected' }>;

/**
 * The sending of a cycle's changes: those by handlers, and the framework's own, in one patch as long as nothing is rejected.
 *
 * Otherwise the changes by each handler are sent separately, and then the framework's own changes, so that a rejection affects only the
 * rejected changes. A handler whose changes are rejected has failed. {@link BookkeepingHandling} records the results of the framework's own
 * changes.
 */
@Injectable()
export class PatchSending {
  constructor(
    @Inject(PatchingClient) private readonly client: PatchingClient,
    @Inject(PatchVerification) private readonly verification: PatchVerification,
    @Inject(BookkeepingHandling) private readonly bookkeeping: BookkeepingHandling,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends the changes of a cycle. Returns at once if there are none.
   *
   * @throws the error that keeps them from being sent while the API server cannot be reached; they are sent with the next changes.
   */
  send(cycle: EventCycle, end: CycleEnd): PatchEnd | Promise<PatchEnd> {
    this.bookkeeping.prepare(cycle);
    this.bookkeeping.endNeedlessRejections(cycle, end);
    const sending = begin(cycle, end);
    return cycle.isUnchanging
      ? this.conclusionOf(sending)
      : this.sendAll(sending).then((effect) => this.conclusionOf(sending, effect));
  }

  private conclusionOf(sending: Sending, effect = this.effectOf(sending)): PatchEnd {
    const { delays, isLossy } = sending;
    return { effect, delays, isLossy };
  }

  /** Sends a touch, which causes an event. */
  async touch(cycle: EventCycle, end: CycleEnd, time: string): Promise<PatchEffect> {
    cycle.patch = new ResourcePatch();
    cycle.bookkeeping = new ResourcePatch();
    this.settings.persistence.progressStorage.touch(time, cycle.body, cycle.bookkeeping);
    const sending = begin(cycle, end);
    return (await this.sendTogether(sending)) ?? this.effectOf(sending);
  }

  private sendAll(sending: Sending): Promise<PatchEffect | undefined> {
    const { rejections } = sending.cycle.memory;
    if (!rejections.has('state')) this.removeTouch(sending.cycle);
    return rejections.size === 0 ? this.sendTogether(sending) : this.sendApart(sending);
  }

  /** Sends the changes by handlers, and then the framework's own changes, of which some were rejected before. */
  private async sendApart(sending: Sending): Promise<PatchEffect | undefined> {
    const { cycle } = sending;
    const { bookkeeping } = cycle;
    if (!cycle.patch.isEmpty) {
      const nothing = new ResourcePatch();
      cycle.bookkeeping = nothing;
      const effect = await this.sendTogether(sending);
      // If handlers have failed, the state is a different one, and was sent.
      if (effect || cycle.bookkeeping !== nothing) return effect;
      cycle.bookkeeping = bookkeeping;
    }
    return this.sendOwn(sending, new ResourcePatch(), true);
  }

  private removeTouch({ body, bookkeeping }: EventCycle): void {
    this.settings.persistence.progressStorage.touch(null, body, bookkeeping);
  }

  /** Sends all changes in one patch. Returns its effect if there is nothing else to do in this cycle. */
  private async sendTogether(sending: Sending): Promise<PatchEffect | undefined> {
    const { cycle } = sending;
    const { memory, patch, bookkeeping } = cycle;
    const result = await this.request(sending, patch.with(bookkeeping), patch);
    switch (result.outcome) {
      case 'gone':
        return 'changed';
      case 'stored':
        memory.unsent = undefined;
        this.conclude(sending, []);
        return undefined;
      case 'rejected':
        return this.divide(sending, result, false);
      case 'conflict':
        if (memory.conflicts + 1 >= CONFLICTS) return this.divide(sending, result, true);
        this.keep(sending, result);
        return 'conflict';
      case 'failed':
        if (result.isAnswered && ++memory.failures >= PATIENCE) return this.divide(sending, result, true);
        this.keep(sending, result);
        throw result.error;
    }
  }

  /** Keeps the unsent changes for the next cycle. */
  private keep({ cycle, end }: Sending, { unsent }: Exclude<PatchResult, { outcome: 'gone' | 'stored' }>): void {
    const { memory, patch, bookkeeping, slot } = cycle;
    const handlerChanges = end.handlerChanges ?? memory.unsent?.handlerChanges;
    const left = contentWithin(patch.snapshot(), unsent);
    const undo = { ...memory.unsent?.undo, ...this.undoOf(cycle, unsent) };
    memory.unsent = { ...left, unconfirmed: unsent.unconfirmed, ...(hasContent(left) && { handlerChanges, undo }) };
    memory.unsentFence = slot.fence;
    const { fields } = bookkeeping.snapshot();
    if (isEmptyMap(fields)) return;
    const isLeft = hasContent(contentWithin({ fields, transformations: [] }, unsent));
    if (isLeft) memory.postponeState(slot.tenure);
    else this.bookkeeping.confirm(cycle);
  }

  /** Returns the fields that revert the state which was stored before other changes were not. */
  private undoOf({ bookkeeping, body }: EventCycle, unsent: PatchContent): JsonMap {
    const own = { ...bookkeeping.snapshot(), transformations: [] };
    return undoneFields(addedContent(contentWithin(own, unsent), own).fields, body);
  }

  /**
   * Sends the changes by each handler separately, and the framework's own changes afterwards.
   *
   * @param rejection the rejection of all changes together.
   * @param once whether changes that are not stored by the first request count as rejected, as they were rejected before.
   */
  private async divide(
    sending: Sending,
    rejection: Exclude<PatchResult, { outcome: 'gone' | 'stored' }>,
    once: boolean,
  ): Promise<PatchEffect | undefined> {
    const { cycle, end } = sending;
    const { memory, patch, slot } = cycle;
    const handlerChanges = end.handlerChanges ?? memory.unsent?.handlerChanges;
    const failures = new Map<ChangingHandler, Error>();
    const [rest, reverted] = [new ResourcePatch(), new ResourcePatch()];
    const { unconfirmed = [] } = rejection.unsent;
    const lost = new Set(unconfirmed);
    let outage: unknown;
    for (const change of divideByHandler(patch.snapshot(), handlerChanges)) {
      const left = contentWithin(change.content, rejection.unsent);
      const request = { ...left, unconfirmed };
      const result = outage === undefined ? await this.sendChange(sending, request, once) : undefined;
      if (result?.outcome === 'gone') return 'changed';
      if (result?.outcome === 'stored') continue;
      rest.add(result?.unsent ?? left);
      for (const changes of result?.unsent.unconfirmed ?? []) lost.add(changes);
      if (result?.outcome === 'failed') outage = result.error;
      if (result?.outcome !== 'rejected') continue;
      if (change.handler) failures.set(change.handler, result.error);
      else this.reportLoss(sending, result.error);
      this.revertResult(cycle, change, result, reverted);
    }
    const undo = { ...memory.unsent?.undo, ...this.undoOf(cycle, rejection.unsent) };
    patch.clear();
    memory.unsent = rest.isEmpty ? undefined : { ...rest.snapshot(), unconfirmed: [...lost], handlerChanges, undo };
    memory.unsentFence = slot.fence;
    if (failures.size > 0) {
      cycle.bookkeeping = new ResourcePatch();
      if (!isEmptyMap(undo)) memory.forgetStored();
      reverted.merge(undo);
      const delays = handlerChanges!.fail(failures, cycle);
      sending.delays = end.handlerChanges ? delays : [...end.delays, ...delays];
      this.bookkeeping.prepare(cycle);
      if (!memory.rejections.has('state')) this.removeTouch(cycle);
    } else if (!isEmptyMap(undo)) this.dropStored(sending, rejection.unsent);
    if (outage === undefined) return this.sendOwn(sending, reverted, once);
    memory.postponeState(slot.tenure);
    throw outage;
  }

  /** Records that the state is stored already, and keeps the unsent rest, so that the state is not sent again. */
  private dropStored({ cycle, newest }: Sending, unsent: PatchContent): void {
    const left = new ResourcePatch(contentWithin(cycle.bookkeeping.snapshot(), { ...unsent, transformations: [] }));
    if (!left.isEmpty) return;
    this.bookkeeping.confirm(cycle, newest);
    for (const transformation of cycle.bookkeeping.transformations) left.transform(transformation);
    cycle.bookkeeping = left;
  }

  /** Sends the changes by one handler; once more if the object turns out to have changed. */
  private async sendChange(sending: Sending, change: UnsentPatch, once: boolean): Promise<PatchResult> {
    if (!hasContent(change)) return { outcome: 'stored' };
    const send = (unsent: UnsentPatch): Promise<PatchResult> => {
      const patch = new ResourcePatch(unsent);
      return this.request(sending, patch, patch, { separately: true, once });
    };
    const result = await send(change);
    return once && result.outcome === 'conflict' ? send(result.unsent) : result;
  }

  /** Reverts the result of a handler that has failed, as results are stored before the other changes. */
  private revertResult(
    { resource, body }: EventCycle,
    change: HandlerChange,
    { parts }: RejectedResult,
    reverted: ResourcePatch,
  ): void {
    if (!change.handler || !resource.subresources.includes('status') || parts.includes('status')) return;
    const { status } = change.content.fields;
    const result = isMap(status) ? getKey(status, change.handler.id) : undefined;
    if (result !== undefined) reverted.merge({ status: revertedFields({ [change.handler.id]: result }, body.status) });
  }

  private reportLoss(sending: Sending, error: Error): void {
    sending.isLossy = true;
    sending.cycle.logger.error(
      `The API server rejects what the handlers of events want; it is lost: ${error.message}`,
      error,
    );
  }

  /**
   * Sends the framework's own changes, the state and the finalizer separately, so that a rejection of one does not affect the other.
   *
   * @param reverted the reverted results of failed handlers.
   */
  private async sendOwn(sending: Sending, reverted: ResourcePatch, once: boolean): Promise<PatchEffect | undefined> {
    const { cycle } = sending;
    const { memory, bookkeeping, slot } = cycle;
    if (reverted.isEmpty && bookkeeping.isEmpty) return undefined;
    const result = await this.request(sending, reverted.with(bookkeeping), new ResourcePatch(), {
      separately: true,
      once,
    });
    switch (result.outcome) {
      case 'gone':
        return 'changed';
      case 'stored':
        this.conclude(sending, []);
        return undefined;
      case 'rejected':
        this.conclude(sending, this.partsOf(cycle, result.parts), result.error);
        return undefined;
      case 'conflict':
        memory.postponeState(slot.tenure);
        return 'conflict';
      case 'failed':
        if (result.isAnswered && ++memory.failures >= PATIENCE) {
          this.conclude(sending, ['state', 'finalizer'], result.error as Error);
          return undefined;
        }
        memory.postponeState(slot.tenure);
        this.keepUnconfirmed(memory, result.unsent);
        throw result.error;
    }
  }

  /** Remembers the changes whose response was lost, so that the object is read again before it is released. */
  private keepUnconfirmed(memory: ObjectMemory, { unconfirmed = [] }: UnsentPatch): void {
    if (unconfirmed.length === 0) return;
    const { unsent = NO_CONTENT } = memory;
    const earlier: UnsentPatch = hasContent(unsent) ? unsent : NO_CONTENT;
    memory.unsent = { ...unsent, unconfirmed: [...(earlier.unconfirmed ?? []), ...unconfirmed] };
  }

  /** The parts of the framework's own changes that are in the given parts of a patch. */
  private partsOf({ resource, bookkeeping }: EventCycle, parts: readonly SentPart[]): readonly BookkeepingPart[] {
    const { status, ...others } = bookkeeping.toMergePatch() ?? {};
    const isApart = resource.subresources.includes('status');
    const isState =
      (parts.includes('status') && status !== undefined) ||
      (parts.includes('object') && (Object.keys(others).length > 0 || (!isApart && status !== undefined)));
    return [
      ...(isState ? ['state' as const] : []),
      ...(parts.includes('transformations') ? ['finalizer' as const] : []),
    ];
  }

  private conclude(sending: Sending, refused: readonly BookkeepingPart[], error?: Error): void {
    const { cycle, newest } = sending;
    if (this.bookkeeping.conclude(cycle, newest, refused, error)) sending.isRefused = true;
  }

  /** @param handlerChanges the part of the patch with the changes by handlers */
  private async request(
    sending: Sending,
    patch: ResourcePatch,
    handlerChanges: ResourcePatch,
    how: Pick<PatchRequest, 'separately' | 'once'> = {},
  ): Promise<PatchResult> {
    const { resource, memory, slot, logger, session } = sending.cycle;
    const { newest: body } = sending;
    const request = { ...how, resource, body, patch, logger, signal: slot.signal, fence: slot.fence };
    let result: PatchResult;
    session.backpressure.beginPatch();
    try {
      result = await this.client.applyPatch(request);
    } finally {
      session.backpressure.endPatch();
    }
    if (result.outcome === 'gone') {
      slot.isGone = memory.isGone = true;
      return result;
    }
    const { body: patched } = result;
    if (patched && isNewer(patched, body)) this.expect(memory, patched);
    if (patched) sending.newest = patched;
    if (result.outcome === 'stored') memory.conflicts = memory.failures = 0;
    this.verification.verify(resource, handlerChanges, result, logger, session.pruned);
    return result;
  }

  /**
   * Remembers the version of the patch, for which the operator waits before it calls handlers of changes again, unless it does not wait at
   * all.
   */
  private expect(memory: ObjectMemory, patched: KubeObject): void {
    const { consistencyTimeout } = this.settings.persistence;
    if (patched.metadata.resourceVersion === undefined) return;
    memory.expect(patched, consistencyTimeout > 0 ? this.clock.monotonic() + consistencyTimeout * 1000 : undefined);
  }

  private effectOf({ cycle, newest, isRefused }: Sending): PatchEffect {
    if (isNewer(newest, cycle.body)) return 'changed';
    return isRefused ? 'refused' : 'unchanged';
  }
}

function begin(cycle: EventCycle, end: CycleEnd): Sending {
  return { cycle, end, newest: cycle.body, delays: end.delays, isRefused: false, isLossy: false };
}

/** Whether the cluster has created a new version of the object. */
function isNewer({ metadata }: KubeObject, before: KubeObject): boolean {
  return metadata.resourceVersion !== before.metadata.resourceVersion;
}
