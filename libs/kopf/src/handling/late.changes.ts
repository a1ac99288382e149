import { ChangingCause } from '../contexts/changing.cause.js';
import { Injectable } from '@nestjs/common';
import { Reason } from '../contexts/reason.js';
import { HandlerProgress } from '../execution/handler.progress.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { Clock } from 'kube-common';
import type { Essence } from '../objects/essences.js';
import type { ProgressRecord, ProgressStorage } from '../state/storages.js';
import { decodeState, encodeState } from '../state/state-encoding.js';
import { deduplicate, isForeignRecord, isSameAs, type ChangingHandler } from '../registry/handler.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { selectChangingHandlers } from '../registry/handler-selection.js';
import { KopfSettings } from '../settings/kopf.settings.js';

/** A change that came after a handler was called, and that the handler has not seen. */
export interface LateChange {
  /** The essence, as JSON, since which the object has changed. */
  readonly base: string;
  readonly cause: ChangingCause;
}

/** The handlers that have not seen the present state. */
export type LateHandlers = ReadonlyMap<ChangingHandler, LateChange>;

const NONE: LateHandlers = new Map();

/**
 * The search for late handlers, with `execution.lateChanges: 'repeat'`: an object can change, or change back, while some of its handlers
 * wait for their next attempts, so the other handlers were called with a state that is not the present one.
 *
 * The records of progress contain the essences that the handlers were called with. Kopf ignores them.
 */
@Injectable()
export class LateChanges {
  constructor(
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Finds the late handlers among those whose progress is stored. */
  find(handlers: readonly ChangingHandler[], cause: ChangingCause, storage: ProgressStorage): LateHandlers {
    if (!this.isOn || cause.new === undefined || cause.deleted) return NONE;
    const present = this.encode(cause);
    const found = new Map<ChangingHandler, LateChange>();
    for (const handler of deduplicate(handlers)) {
      const record = storage.fetch(handler.id, cause.body);
      if (!record || isForeignRecord(handler, handlers, record.purpose ?? undefined)) continue;
      const late = this.changeFor(handlers.filter(isSameAs(handler)), record, cause, present);
      if (late) found.set(...late);
    }
    return found;
  }

  /** Records the state that handlers were called with, by which later changes are recognised as late. */
  note(handlers: readonly ChangingHandler[], state: ProgressState, cause: ChangingCause, late?: LateHandlers): void {
    if (!this.isOn || cause.new === undefined) return;
    const present = this.encode(cause);
    for (const handler of handlers) state.of(handler.id).noteEssence(present, late?.get(handler)?.base);
  }

  private encode({ essence, body }: ChangingCause): string {
    return encodeState(this.storage.conceal?.(essence, body) ?? essence);
  }

  private decode(text: string, { id }: ChangingHandler, { body }: ChangingCause): Essence | undefined {
    const essence = decodeState(text, id, body) as Essence | undefined;
    return essence && (this.storage.reveal?.(essence, body) ?? essence);
  }

  private get storage() {
    return this.settings.persistence.diffbaseStorage;
  }

  private get isOn(): boolean {
    return this.settings.execution.lateChanges === 'repeat';
  }

  /**
   * Returns the change that a handler has not seen, if it matches the handler.
   *
   * @param declarations the declarations of the handler, one for each of its decorators: one is for creations, for example, and another one
   *   for updates.
   */
  private changeFor(
    declarations: readonly ChangingHandler[],
    record: ProgressRecord,
    cause: ChangingCause,
    present: string,
  ): readonly [ChangingHandler, LateChange] | undefined {
    const { finished, handled, tried } = HandlerProgress.restored(record, this.clock.now());
    // A handler that has never finished is called for the whole change anyway, unless that change was taken back.
    if (!finished && handled === undefined && selectChangingHandlers(declarations, cause).length > 0) return undefined;
    for (const base of [handled, tried]) {
      if (base === undefined || base === present) continue;
      const essence = this.decode(base, declarations[0], cause);
      const late = essence && cause.since(essence, reasonOf(cause));
      if (!late || late.diff.length === 0) continue;
      const [handler] = selectChangingHandlers(declarations, late);
      if (handler) return [handler, { base, cause: late }];
    }
    return undefined;
  }
}

/** Selects the handlers of a change and the late handlers, in the order of their registration. */
export function selectWithLate(
  handlers: readonly ChangingHandler[],
  cause: ChangingCause,
  late: LateHandlers,
): readonly ChangingHandler[] {
  const selected = selectChangingHandlers(handlers, cause);
  if (late.size === 0) return selected;
  // A handler can be late by one of its decorators, and selected by another one.
  const chosen = new Set(deduplicate([...late.keys(), ...selected]));
  return handlers.filter((handler) => chosen.has(handler));
}

/** Returns the reason of a late change, which counts as a change even if the object as a whole is as it was handled last. */
function reasonOf({ reason }: ChangingCause): Reason {
  return reason === Reason.NOOP || reason === Reason.RESUME ? Reason.UPDATE : reason;
}
