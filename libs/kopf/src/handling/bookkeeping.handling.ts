import { Inject, Injectable } from '@nestjs/common';
import { ApiConflictError } from '../client/api/api.errors.js';
import { hasFields } from '../client/api/patch.verification.js';
import type { Clock } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { resourceKey } from '../resources/resources.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { CycleEnd, EventCycle } from './event.cycle.js';
import { BookkeepingRejection, describeRejection, PART_TITLES, type BookkeepingPart } from './bookkeeping.rejection.js';
import { StateWriting } from './state.writing.js';

/**
 * The longest pauses between attempts to send rejected changes, in seconds. After conflicts they are shorter, as any change of the object
 * may resolve a conflict.
 */
const LONGEST_PAUSE = { conflict: 60, rejection: 300 };

const PARTS: readonly BookkeepingPart[] = ['state', 'finalizer'];
const NO_PARTS: readonly BookkeepingPart[] = [];

/**
 * The bookkeeping of an object, which is the framework's own changes: which of them are sent, and the results. A rejected change counts in
 * the memory of the object nevertheless, and is sent again after growing pauses.
 */
@Injectable()
export class BookkeepingHandling {
  constructor(
    @Inject(StateWriting) private readonly writing: StateWriting,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Adds the state to the bookkeeping of the cycle, and removes the parts that were rejected and are not due yet. */
  prepare(cycle: EventCycle): void {
    const { memory, slot } = cycle;
    const late = this.latePartsOf(cycle);
    if (late.includes('state')) memory.withholdState(slot.tenure);
    else if (!memory.isStateUnkept || memory.isStateChanged) this.writing.write(cycle);
    if (late.length === 0) return;
    const { fields, transformations } = cycle.bookkeeping.snapshot();
    cycle.bookkeeping = new ResourcePatch({
      fields: late.includes('state') ? {} : fields,
      transformations: late.includes('finalizer') ? [] : transformations,
    });
  }

  /** Ends the rejections of parts without any change left to send. */
  endNeedlessRejections({ memory, bookkeeping }: EventCycle, { delays }: CycleEnd): void {
    if (memory.rejections.size === 0) return;
    const isDue = (part: BookkeepingPart): boolean => memory.rejections.get(part)?.dueIn(this.clock.monotonic()) === 0;
    const isIdle = delays.length === 0 && !memory.isStateWithheld;
    if (isIdle && isDue('state') && !bookkeeping.hasFields) memory.endRejection('state');
    if (isDue('finalizer') && bookkeeping.transformations.length === 0) memory.endRejection('finalizer');
  }

  /**
   * Records the results of the changes after they were sent.
   *
   * @param newest the newest known state of the object
   * @param refused the parts that the API server rejects with the error
   * @returns whether a part is rejected for the first time
   */
  conclude(cycle: EventCycle, newest: KubeObject, refused: readonly BookkeepingPart[], error?: Error): boolean {
    const { bookkeeping, memory, slot } = cycle;
    const isState = bookkeeping.hasFields;
    const isNew = this.recordRejections(cycle, refused, error);
    if (isState && refused.includes('state')) memory.withholdState(slot.tenure);
    else if (isState) this.confirm(cycle, newest);
    return isNew;
  }

  /** Records that the state is stored, unless the response shows that the cluster does not keep it. */
  confirm(cycle: EventCycle, patched?: KubeObject): void {
    const { memory, bookkeeping, slot, body } = cycle;
    const isWhole = patched !== undefined && patched.metadata.uid === body.metadata.uid;
    if (isWhole && !hasFields(bookkeeping, patched) && !this.writing.isKept(cycle, patched)) {
      memory.withholdState(slot.tenure);
      memory.isStateUnkept = true;
      this.reportUnkept(cycle);
      return;
    }
    memory.confirmState(this.settings.persistence.lostEssence === 'recall');
  }

  /** The rejected parts that are not due to be sent again. */
  private latePartsOf({ memory, isRead }: EventCycle): readonly BookkeepingPart[] {
    if (memory.rejections.size === 0) return NO_PARTS;
    const now = this.clock.monotonic();
    if (!isRead) for (const rejection of memory.rejections.values()) rejection.noteEvent();
    return PARTS.filter((part) => (memory.rejections.get(part)?.dueIn(now) ?? 0) > 0);
  }

  /** @returns whether a part is rejected for the first time */
  private recordRejections(cycle: EventCycle, refused: readonly BookkeepingPart[], error?: Error): boolean {
    const { bookkeeping, memory, logger } = cycle;
    let isNew = false;
    if (refused.length === 0 && memory.rejections.size === 0) return isNew;
    for (const part of PARTS) {
      const isSent = part === 'state' ? bookkeeping.hasFields : bookkeeping.transformations.length > 0;
      if (!isSent) continue;
      if (refused.includes(part)) isNew = this.recordRejection(cycle, part, error!) || isNew;
      else if (memory.endRejection(part)) logger.log(`The API server stores ${PART_TITLES[part]} again.`);
    }
    return isNew;
  }

  /** @returns whether the part is rejected for the first time */
  private recordRejection({ memory, logger, session, body }: EventCycle, part: BookkeepingPart, error: Error): boolean {
    const known = memory.rejections.get(part);
    const rejection =
      known ??
      new BookkeepingRejection(error, LONGEST_PAUSE[error instanceof ApiConflictError ? 'conflict' : 'rejection']);
    const pause = rejection.noteAttempt(error, this.clock.monotonic());
    memory.noteRejection(part, rejection);
    const message = describeRejection(part, error.message);
    if (known) {
      logger.debug(() => `${message}; the next attempt is in ${pause} s.`);
      return false;
    }
    const consequence =
      part === 'state' ? 'It is kept in the memory as long as the operator runs' : 'Handlers are called nevertheless';
    logger.warn(
      `The API server does not store ${PART_TITLES[part]}: ${error.message}. ${consequence}, and it is sent again after growing pauses.`,
    );
    const reason = part === 'state' ? 'StateNotStored' : 'FinalizerNotStored';
    session.events.post(body, { type: 'Warning', reason, message });
    return true;
  }

  private reportUnkept({ resource, session, logger }: EventCycle): void {
    const key = `state of ${resourceKey(resource)}`;
    if (session.pruned.has(key)) return;
    session.pruned.add(key);
    logger.error(
      `The cluster does not keep the operator's ${key}: its schema does not know the fields, or a webhook removes them. The state is kept in ` +
        'the memory, so that handlers are called anew after each start of the operator. Choose another storage, or let the cluster keep ' +
        'the fields. This is reported once for this resource.',
    );
  }
}
