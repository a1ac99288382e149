// What operators have left on an object, what they are expected to do next, and why a handler is not called for it. It needs no running operator:
// what is stored on the object is enough, also that of Python's Kopf.

import { isMap, parseTimestamp } from 'kube-common';
import type { DetectedChange } from '../../contexts/changing.cause.js';
import type { Reason } from '../../contexts/reason.js';
import type { Peer } from '../../coordination/peering/peers.js';
import { describeRejection, PART_TITLES, type BookkeepingPart } from '../../handling/bookkeeping.rejection.js';
import { detectReason } from '../../handling/reason-detection.js';
import type { ObjectDiff } from '../../objects/diffs.js';
import { diff } from '../../objects/diffs.js';
import type { FieldPath } from '../../objects/field-path.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { AnnotationsDiffBaseStorage } from '../../state/annotations-diffbase.storage.js';
import { AnnotationsProgressStorage } from '../../state/annotations-progress.storage.js';
import { compareEssences } from '../../state/essence-hashes.js';
import type { Essence } from '../../objects/essences.js';
import { type DiffBaseStorage, presentEssence, type ProgressStorage, withoutState } from '../../state/storages.js';
import type { HandlerMatch } from './handler.matches.js';
import { addRemedy } from './remedies.js';
import { isSameId, readStoredState, type StoredProgress, type StoredState } from './stored.state.js';

/** The finalizer of Kopf, and of nestjs-kopf unless a setting says another one. */
export const KOPF_FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** One finding, with the place in the object that shows it. */
export interface Finding {
  /** A stable name, for programs. */
  readonly code: string;
  /** The sentence; a time in it is in UTC: `2026-01-31T12:00:00.000Z`. */
  readonly text: string;
  /** The time in the sentence, in milliseconds since the epoch, for readers who want to see it differently. */
  readonly at?: number;
  /** What would change it, in a sentence; absent if nothing has to change. */
  readonly remedy?: string;
  /** The path in the object, or other evidence. */
  readonly evidence?: string;
  /** Whether it needs attention. */
  readonly problem?: boolean;
}

/** The settings of the operator that decide what it stores; those of Kopf if the operator is not known. */
export interface ExplainedSettings {
  readonly finalizer: string;
  /** Former names of the finalizer. @default none */
  readonly formerFinalizers?: readonly string[];
  readonly storages?: { readonly diffbase: DiffBaseStorage; readonly progress: ProgressStorage };
  readonly extraFields?: readonly FieldPath[];
}

/** Everything that is known of one object's handling. */
export interface Explanation {
  readonly object: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly deleting?: string;
  };
  readonly state: readonly StoredState[];
  readonly finalizers: readonly { readonly name: string; readonly owner: 'operator' | 'others' }[];
  /** The reason for which an operator would handle the object now; `noop` if there is nothing to do. */
  readonly reason: Reason;
  /** The differences from what was handled last. */
  readonly changes: ObjectDiff;
  readonly findings: readonly Finding[];
  readonly handlers?: readonly HandlerMatch[];
}

/** The difference between the object and what an operator has handled last, and the reason that follows from it. */
export interface ExplainedChange {
  readonly reason: Reason;
  readonly old: Essence | undefined;
  readonly new: Essence;
  readonly changes: ObjectDiff;
}

/** Converts the change to what handlers are matched with. */
export function toDetected({ reason, old, new: present, changes }: ExplainedChange): DetectedChange {
  return { reason, initial: false, old, new: present, diff: changes };
}

/** Compares the object with what was handled last, as an operator does. */
export function detectChange(body: KubeObject, prefix: string, settings: ExplainedSettings): ExplainedChange {
  const diffbase = settings.storages?.diffbase ?? new AnnotationsDiffBaseStorage({ prefix });
  const progress = settings.storages?.progress ?? new AnnotationsProgressStorage({ prefix });
  const stored = diffbase.fetch(body);
  const extraFields = settings.extraFields ?? (stored ? guessExtraFields(stored) : []);
  const storages = { diffbaseStorage: diffbase, progressStorage: progress };
  const old = stored && withoutState(stored, extraFields, storages);
  const present = presentEssence(body, extraFields, storages);
  const changes = old ? compareEssences(old, present) : diff(undefined, present);
  const event = { type: 'MODIFIED', object: body } as const;
  const { finalizer, formerFinalizers } = settings;
  const isHandled = old !== undefined;
  const { reason } = detectReason({ event, finalizer, formerFinalizers, isHandled, diff: changes, initial: false });
  return { reason, old, new: present, changes };
}

/**
 * Guesses the extra fields of an essence: fields that are not a part of it by default are stored if a handler of the operator names them.
 */
function guessExtraFields(stored: Essence): readonly FieldPath[] {
  const fields: FieldPath[] = Object.keys(isMap(stored.status) ? stored.status : {}).map((key) => ['status', key]);
  const metadata = Object.keys(isMap(stored.metadata) ? stored.metadata : {});
  return [
    ...fields,
    ...metadata.filter((key) => key !== 'labels' && key !== 'annotations').map((key) => ['metadata', key]),
  ];
}

/** Everything that is known of the operator that the object is for, beside what it has stored on the object. */
export interface ExplainedOperator {
  /** The reasons why it handles no object at present, as sentences: it pauses, does not lead, or does not run. @default none is known */
  readonly idle?: readonly string[];
  /** The reason why it does not see the object, in words; absent if it sees it, or if that is not known. */
  readonly unseen?: string;
  /** Checks whether a handler of changes is for the object; `undefined` if that is not known. @default it is not known */
  selects?(change: ExplainedChange): boolean | undefined;
  /** The reasons why the API server does not store its own changes of the object, by part. @default none is known */
  readonly rejections?: ReadonlyMap<BookkeepingPart, string>;
  /** The daemons and timers of the object whose last call has failed. @default none is known */
  readonly background?: readonly FailedBackground[];
}

/** A daemon or a timer whose last call has failed: its state is `failed` if it is not called again. */
export interface FailedBackground extends StoredProgress {
  readonly kind: 'daemon' | 'timer';
}

/** Everything that an explanation is made of. */
export interface Evidence {
  readonly body: KubeObject;
  readonly settings: ExplainedSettings;
  /** Living peers of the peerings that can concern the object, the one of the highest priority first. */
  readonly peers: readonly Peer[];
  /** The wall-clock time in milliseconds. */
  readonly now: number;
  /**
   * The handlers of the last handling that have failed for good, by the memory of the operator or by Kubernetes events, as their records are
   * removed from the object; absent if neither is known.
   */
  readonly failures?: readonly StoredProgress[];
  /** Absent if no operator is known. */
  readonly operator?: ExplainedOperator;
}

/** Explains what operators have left on the object, and what they are expected to do next. */
export function explain({
  body,
  settings,
  peers,
  now,
  failures,
  operator = {},
}: Evidence): Explanation & { readonly change: ExplainedChange } {
  const { apiVersion, kind, metadata } = body;
  const { namespace, name, uid, deletionTimestamp } = metadata;
  const all = readStoredState(body, now);
  const state = all.filter((each) => each.progress.length + each.annotations.length + each.lastHandled.length > 0);
  const main = state.find(({ lastHandled }) => lastHandled.length > 0) ?? state[0] ?? all[0];
  const change = detectChange(body, main.prefix, settings);
  const finalizers = (metadata.finalizers ?? []).map((each) => {
    return { name: each, owner: isOperators(each, settings, all) ? ('operator' as const) : ('others' as const) };
  });
  const stored = state.flatMap((each) => each.progress);
  const known = (failures ?? []).filter(({ id }) => !stored.some((each) => isSameId(each.id, id)));
  const progress = [...stored, ...known];
  const knowsFailures = failures !== undefined;
  const isSelecting = operator.selects?.(change);
  const facts = { body, state, progress, change, finalizers, peers, now, knowsFailures, operator, isSelecting };
  const findings = [
    ...explainOperator(facts),
    ...explainDeletion(facts),
    ...explainProgress(facts),
    ...explainBackground(facts),
    ...explainChange(facts),
    ...explainRejections(facts),
    ...explainPeers(facts),
  ].map(addRemedy);
  return {
    object: { apiVersion, kind, namespace, name, uid, ...(deletionTimestamp && { deleting: deletionTimestamp }) },
    state,
    finalizers,
    reason: change.reason,
    changes: change.old ? change.changes : [],
    findings,
    change,
  };
}

function isOperators(finalizer: string, settings: ExplainedSettings, state: readonly StoredState[]): boolean {
  if (finalizer === settings.finalizer || finalizer === KOPF_FINALIZER) return true;
  if (settings.formerFinalizers?.includes(finalizer)) return true;
  return state.some(({ prefix, annotations }) => annotations.length > 0 && finalizer.startsWith(`${prefix}/`));
}

interface Facts {
  readonly body: KubeObject;
  readonly state: readonly StoredState[];
  readonly progress: readonly StoredProgress[];
  readonly change: ExplainedChange;
  readonly finalizers: Explanation['finalizers'];
  readonly peers: readonly Peer[];
  readonly now: number;
  readonly knowsFailures: boolean;
  readonly operator: ExplainedOperator;
  /** Whether a handler of changes is for the object; absent if that is not known. */
  readonly isSelecting?: boolean;
}

/** Explains why the operator does nothing for the object, whatever is to be done. */
function explainOperator({ operator: { idle = [], unseen }, isSelecting }: Facts): Finding[] {
  if (idle.length > 0) {
    return [{ code: 'operator-idle', text: `This operator handles no object at present: ${idle.join(' ')}` }];
  }
  // A watch shows only objects that a handler can be for.
  if (unseen === undefined || isSelecting === false) return [];
  return [{ code: 'not-seen', text: `This operator does not see the object: ${unseen}.`, problem: true }];
}

/** Whether no handler of changes is called for the object, as filters exclude it from all of them. */
function isExcluded({ body, isSelecting }: Facts): boolean {
  return isSelecting === false && body.metadata.deletionTimestamp === undefined;
}

function explainDeletion({ body, progress, finalizers }: Facts): Finding[] {
  const { deletionTimestamp } = body.metadata;
  if (!deletionTimestamp) return [];
  const evidence = 'metadata.finalizers';
  const open = progress.filter(
    ({ state, purpose }) => purpose === 'delete' && state !== 'succeeded' && state !== 'failed',
  );
  return finalizers.map(({ name, owner }): Finding => {
    if (owner === 'others') {
      const text = `It is not deleted, as the finalizer ${name} is still there, which another controller has to remove.`;
      return { code: 'deletion-blocked-by-others', text, evidence };
    }
    if (open.length > 0) {
      const ids = open.map(({ id }) => id).join(', ');
      const text = `It is not deleted, as the operator's finalizer ${name} stays until its handlers are done: ${ids}.`;
      return { code: 'deletion-waits-for-handlers', text, evidence };
    }
    const text =
      `It is not deleted, as the operator's finalizer ${name} is there, but no handler of the deletion has begun: no operator ` +
      'is at work, or a daemon does not end. `kopf release` removes the finalizer if the operator does not come back.';
    return { code: 'deletion-without-operator', text, evidence, problem: true };
  });
}

function explainProgress(facts: Facts): Finding[] {
  const { progress, state, operator } = facts;
  const findings = progress.flatMap((record): Finding[] => {
    const { id, attempts, dueIn = 0, places, stopped, due } = record;
    const [evidence = 'the last handling'] = places;
    const after = describeAttempts(record);
    if (record.state === 'failed') {
      const at = parseTimestamp(stopped);
      const text = `The handler ${id} has failed for good${describeTime(at)}${attempts === 0 ? '' : ', '}${after}`;
      return [{ code: 'handler-failed', text, ...timeOf(at), evidence, problem: true }];
    }
    // An operator removes the progress of handlers that are not for the object any more.
    if (record.state === 'succeeded' || isExcluded(facts)) return [];
    if (record.state === 'begun') {
      return [{ code: 'handler-begun', text: `The handler ${id} was begun, and is not done, ${after}`, evidence }];
    }
    const at = parseTimestamp(due);
    if (record.state === 'waiting') {
      const text = `The next attempt of the handler ${id} is due${describeTime(at)}, ${after}`;
      return [{ code: 'handler-waits', text, ...timeOf(at), evidence }];
    }
    const isExplained = (operator.idle?.length ?? 0) > 0;
    const why = isExplained ? '' : ': no operator is at work, or it is busy';
    const text = `The next attempt of the handler ${id} was due${describeTime(at)}, and was not made${why}; ${after}`;
    return [{ code: 'handler-overdue', text, ...timeOf(at), evidence, problem: !isExplained && dueIn < -OVERDUE }];
  });
  const unreadable = state
    .flatMap((each) => each.unreadable)
    .map((place): Finding => {
      return {
        code: 'state-unreadable',
        text: `The state in ${place} cannot be read, and counts as absent.`,
        evidence: place,
        problem: true,
      };
    });
  return [...findings, ...unreadable];
}

/** The seconds after its due time from which an attempt is overdue. */
const OVERDUE = 60;

/** Returns the attempts so far, and the last error: `after 2 attempts: no connection`. The attempts of a posted failure are not known. */
function describeAttempts({ state, attempts, message }: StoredProgress): string {
  const count =
    state === 'failed' && attempts === 0 ? '' : `after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return `${count}${message ? `: ${message}` : ''}`;
}

/** Returns the time in a sentence, which stands there in this form only: ` at 2026-01-31T12:00:00.000Z`. */
function describeTime(at: number | undefined): string {
  return at === undefined ? '' : ` at ${new Date(at).toISOString()}`;
}

function timeOf(at: number | undefined): Pick<Finding, 'at'> {
  return at === undefined ? {} : { at };
}

/** Explains what has become of daemons and timers, of which nothing is stored. */
function explainBackground({ operator: { background = [] } }: Facts): Finding[] {
  return background.map((record): Finding => {
    const { id, kind, state, stopped, due } = record;
    const after = describeAttempts(record);
    const evidence = 'the memory of the operator';
    if (state === 'failed') {
      const at = parseTimestamp(stopped);
      const text = `The ${kind} ${id} has failed for good${describeTime(at)}, and is not started again until the operator restarts; ${after}`;
      return { code: 'daemon-failed', text, ...timeOf(at), evidence, problem: true };
    }
    const at = parseTimestamp(due);
    const text = `The next call of the ${kind} ${id} is due${describeTime(at)}, ${after}`;
    return { code: 'daemon-waits', text, ...timeOf(at), evidence };
  });
}

function explainChange(facts: Facts): Finding[] {
  const { body, progress, change, state, operator } = facts;
  if (body.metadata.deletionTimestamp) return [];
  if (isExcluded(facts)) {
    const text = 'No handler of changes is for the object, so that none is called when it changes.';
    return [{ code: 'not-selected', text }];
  }
  // What handlers have done, only this process knows.
  if (operator.rejections?.has('state')) return [];
  const isOpen = progress.some(({ state: each }) => each !== 'succeeded' && each !== 'failed');
  if (isOpen) return [];
  const isFailed = progress.some((each) => each.state === 'failed');
  if (!change.old) return isFailed || progress.length > 0 ? [] : [explainNoState(facts)];
  const [evidence] = state.flatMap(({ lastHandled }) => lastHandled);
  if (change.changes.length > 0) {
    const fields = change.changes
      .map(([operation, path]) => `${path.join('.') || 'everything'} (${operation})`)
      .join(', ');
    const text = `It has changed since it was handled last, and no handler has begun with the change: ${fields}.`;
    return [{ code: 'change-not-handled', text, evidence, problem: true }];
  }
  if (!isFailed) return [{ code: 'handled', text: describeHandled(facts), evidence }];
  const text = 'No handler is called again until the object changes: those that have failed for good are not retried.';
  return [{ code: 'not-retried', text, evidence }];
}

/** An object without progress can be handled by an operator all the same, unless it is this one, which is known not to. */
function explainNoState({ operator: { idle, unseen }, isSelecting }: Facts): Finding {
  const isKnown = isSelecting !== undefined && idle?.length === 0 && unseen === undefined;
  const why = isKnown
    ? 'it is not handled yet'
    : 'none is at work, no handler is for it, the first attempts have not ended, or the API server does not store them';
  return {
    code: 'never-handled',
    text: `No operator has stored progress on it: ${why}.`,
    evidence: 'metadata.annotations',
  };
}

function describeHandled({ knowsFailures, operator: { background = [] } }: Facts): string {
  if (!knowsFailures) {
    return 'It was handled as it is now. The object does not show whether a handler has failed for good in the end.';
  }
  // Daemons and timers are no part of that.
  if (background.length > 0) return 'It was handled as it is now: no handler of changes is to be called.';
  return 'It was handled as it is now: there is nothing to do.';
}

/** Explains what the operator cannot store: both parts in one sentence if the reason is the same. */
function explainRejections({ operator: { rejections = new Map() } }: Facts): Finding[] {
  const [state, finalizer] = [rejections.get('state'), rejections.get('finalizer')];
  if (state !== undefined && state === finalizer) {
    const text = `The API server stores neither ${PART_TITLES.state} nor ${PART_TITLES.finalizer}, which is tried again: ${state}`;
    return [{ code: 'state-not-stored', text, problem: true }];
  }
  return [...rejections].map(([part, reason]): Finding => {
    return { code: `${part}-not-stored`, text: describeRejection(part, reason), problem: true };
  });
}

function explainPeers({ peers }: Facts): Finding[] {
  const [first, ...others] = peers;
  if (!first || others.length === 0) return [];
  const { identity, priority, message } = first;
  const same = others.filter((peer) => peer.priority === priority);
  if (same.length > 0) {
    const names = [first, ...same].map((peer) => peer.identity).join(', ');
    return [
      {
        code: 'peers-conflict',
        text: `All operators pause, as these share the highest priority: ${names}.`,
        problem: true,
      },
    ];
  }
  const text = `In the peering, ${identity} has the highest priority (${priority})${message ? `: ${message}` : ''}; the other operators pause.`;
  return [{ code: 'peers-pause', text, evidence: identity }];
}
