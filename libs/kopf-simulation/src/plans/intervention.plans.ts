import { deepEqual, isMap, type JsonMap, type Random, SeededRandom } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import { baseNameOf } from '../oracles/final.state.js';
import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { FaultObject, Intervention } from '../simulation.plan.js';
import { FieldChanges, inferSchema } from './field.changes.js';

const WEBHOOKS = /webhookconfigurations\.admissionregistration\.k8s\.io$/;

/** An object of a run without faults on which interventions are possible, and the changes between which it exists. */
export interface InterventionSite {
  readonly object: FaultObject;
  readonly created: TracedChange;
  /** The number of the change that deletes the object, or that begins its deletion. */
  readonly end: number;
}

/**
 * The objects that the user applies and that the operator watches: these can be recreated. Namespaces are left out, as their contents would not be
 * restored.
 */
export function recreationSites(clean: RunRecord): readonly InterventionSite[] {
  const isWatched = ({ resource }: TracedChange): boolean => clean.watched.has(resource) && resource !== 'namespaces';
  return sitesOf(clean, (change) => change.isUser && isWatched(change));
}

/** The objects that the operator creates. Webhook configurations are left out, as what the API server admits without them would not be taken back. */
export function driftSites(clean: RunRecord): readonly InterventionSite[] {
  return sitesOf(clean, ({ isOperator, resource }) => isOperator && !WEBHOOKS.test(resource));
}

/**
 * Recreates each object of the user after each of its changes, and after each change of the operator in between. Changes and deletes each child right
 * after its creation, and with each later step of the user.
 */
export function* interventionFaults(clean: RunRecord, seed: number): Generator<Intervention> {
  const { changes } = clean;
  for (const { object, created, end } of recreationSites(clean)) {
    for (const { number, isOperator, isTransient, object: name } of changes) {
      if (number < created.number || number >= end || isTransient) continue;
      if (isOperator || name === created.object) yield { kind: 'recreate', ...object, afterChange: number };
    }
  }
  const steps = changes.filter(({ isOperator, isTransient }) => !isOperator && !isTransient);
  for (const { object, created, end } of driftSites(clean)) {
    const patch = drawDrift(new SeededRandom(seed + created.number), created);
    for (const { number } of [created, ...steps]) {
      if (number < created.number || number >= end) continue;
      yield { kind: 'drift', ...object, afterChange: number };
      if (patch) yield { kind: 'drift', ...object, afterChange: number, patch };
    }
  }
}

/** Draws a change of an object as it was created, as a merge patch; `undefined` if nothing can be changed. */
export function drawDrift(random: Random, { after }: TracedChange): object | undefined {
  const object = after as TestManifestObject;
  // The values of Secrets are base64, so not every text is valid.
  const [key] = object.kind === 'Secret' ? Object.keys((after as { readonly data?: object }).data ?? {}) : [];
  if (key !== undefined) return { data: { [key]: btoa('drift') } };
  const drawn = new FieldChanges(random, inferSchema(object)).draw(object);
  return drawn && (mergePatchOf(object, drawn) as object);
}

function sitesOf({ changes }: RunRecord, isSelected: (change: TracedChange) => boolean): readonly InterventionSite[] {
  return changes
    .filter((change) => change.type === 'ADDED' && !change.isTransient && isSelected(change))
    .map((created) => {
      const { resource, after } = created;
      const { namespace } = after!.metadata;
      const end = changes.find((later) => later.number > created.number && isSame(later, after!) && isEnd(later));
      const object = { resource, ...(namespace !== undefined && { namespace }), name: baseNameOf(after!) };
      return { object, created, end: end?.number ?? changes.length + 1 };
    });
}

function isSame({ before, after }: TracedChange, { metadata }: KubeObject): boolean {
  return (before ?? after)?.metadata.uid === metadata.uid;
}

function isEnd({ type, after }: TracedChange): boolean {
  return type === 'DELETED' || after?.metadata.deletionTimestamp !== undefined;
}

/** The merge patch from one value to another. */
function mergePatchOf(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) return after;
  const patch: JsonMap = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!deepEqual(before[key], after[key])) patch[key] = key in after ? mergePatchOf(before[key], after[key]) : null;
  }
  return patch;
}
