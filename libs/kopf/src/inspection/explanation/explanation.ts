// What operators have left on an object, what they are expected to do next, and why a handler is not called for it. It needs no running operator:
// what is stored on the object is enough, also that of Python's Kopf.

import { formatTimeSpan, isMap } from 'kube-common';
import type { Reason } from '../../contexts/reason.js';
import type { Peer } from '../../coordination/peering/peers.js';
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
import { isSameId, readStoredState, type StoredProgress, type StoredState } from './stored.state.js';

/** The finalizer of Kopf, and of nestjs-kopf unless a setting says another one. */
export const KOPF_FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** One finding, with the place in the object that shows it. */
export interface Finding {
  /** A stable name, for programs. */
  readonly code: string;
  readonly text: string;
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
}

/** Explains what operators have left on the object, and what they are expected to do next. */
export function explain({
  body,
  settings,
  peers,
  now,
  failures,
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
  const facts = { body, state, progress, change, finalizers, peers, now, knowsFailures: failures !== undefined };
  const findings = [
    ...explainDeletion(facts),
    ...explainProgress(facts),
    ...explainChange(facts),
    ...explainPeers(facts),
  ];
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

function explainProgress({ progress, state }: Facts): Finding[] {
  const findings = progress.flatMap((record): Finding[] => {
    const { id, attempts, message, dueIn = 0, places, due, stopped } = record;
    const [evidence = 'the last handling'] = places;
    const count =
      record.state === 'failed' && attempts === 0 ? '' : `after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    const after = `${count}${message ? `: ${message}` : ''}`;
    if (record.state === 'failed') {
      const at = stopped ? ` at ${stopped}` : '';
      const text = `The handler ${id} has failed for good${at}${count && ', '}${after}`;
      return [{ code: 'handler-failed', text, evidence, problem: true }];
    }
    if (record.state === 'waiting') {
      const text = `The handler ${id} is called again in ${formatTimeSpan(dueIn)}, at ${due}, ${after}`;
      return [{ code: 'handler-waits', text, evidence }];
    }
    if (record.state === 'due') {
      const text = `The handler ${id} should have been called ${formatTimeSpan(-dueIn)} ago: no operator is at work, or it is busy; ${after}`;
      return [{ code: 'handler-overdue', text, evidence, problem: dueIn < -OVERDUE }];
    }
    if (record.state === 'begun') {
      return [{ code: 'handler-begun', text: `The handler ${id} was begun, and is not done, ${after}`, evidence }];
    }
    return [];
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

function explainChange({ body, progress, change, state, knowsFailures }: Facts): Finding[] {
  if (body.metadata.deletionTimestamp) return [];
  const isOpen = progress.some(({ state: each }) => each !== 'succeeded' && each !== 'failed');
  if (isOpen) return [];
  if (!change.old) {
    if (progress.length > 0) return [];
    const text = 'No operator has handled it: there is no last handled configuration.';
    return [{ code: 'never-handled', text, evidence: 'metadata.annotations' }];
  }
  const [evidence] = state.flatMap(({ lastHandled }) => lastHandled);
  if (change.changes.length === 0) {
    if (progress.some((each) => each.state === 'failed')) {
      const text =
        'No handler is called again until the object changes: those that have failed for good are not retried.';
      return [{ code: 'not-retried', text, evidence }];
    }
    const text = knowsFailures
      ? 'It was handled as it is now: there is nothing to do.'
      : 'It was handled as it is now. The object does not show whether a handler has failed for good in the end.';
    return [{ code: 'handled', text, evidence }];
  }
  const fields = change.changes
    .map(([operation, path]) => `${path.join('.') || 'everything'} (${operation})`)
    .join(', ');
  const text = `It has changed since it was handled last, and no handler handles the change: ${fields}.`;
  return [{ code: 'change-not-handled', text, evidence, problem: true }];
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
