import { Injectable } from '@nestjs/common';
import type { DiffItem } from '../../objects/diffs.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { isBuiltInGroup } from '../../resources/built-in.groups.js';
import { type Resource, resourceKey } from '../../resources/resources.js';
import { deepEqual, isMap, type JsonMap, parseJson, serialized, stringifyJson } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { ResourcePatch } from '../../objects/patches.js';
import type { PatchResult } from './patch.request.js';
import { Redactor } from '../../resources/redactor.js';
import { InjectOwn } from '../../kopf.tokens.js';

/** Compares what was patched with what the cluster has made of it, and reports what is missing. */
@Injectable()
export class PatchVerification {
  constructor(@InjectOwn(Redactor) private readonly redactor = new Redactor()) {}

  /**
   * Looks at what of the patch has been merged, also where the rest of it met with a conflict, or could not be sent.
   *
   * @param pruned the resources of which it was reported that the cluster does not keep their status: each is reported once.
   */
  verify(resource: Resource, patch: ResourcePatch, result: PatchResult, logger: KopfLogger, pruned: Set<string>): void {
    if (result.outcome === 'gone' || result.outcome === 'rejected' || !result.body || patch.isEmpty) return;
    const merged = patch.toMergePatch();
    if (!merged) return;
    const sent = 'unsent' in result ? fieldsOutside(result.unsent.fields, merged) : merged;
    const differences = findDifferences(sent, result.body, []);
    if (differences.length === 0) return;
    const isPruned = differences.every(([operation, [top], value]) => {
      return operation === 'remove' && top === 'status' && isSerializable(value);
    });
    if (!isPruned) {
      const paths = differences.map(([, path]) => path.join('.')).join(', ');
      logger.warn(`Merge-patching finished with inconsistencies: the cluster has other values of ${paths}.`);
      logger.verbose?.(() => `The inconsistencies are: ${stringifyJson(this.redactor.diff(resource, differences))}`);
      return;
    }
    const key = resourceKey(resource);
    if (pruned.has(key)) return;
    pruned.add(key);
    const fields = differences.map(([, path]) => path.join('.')).join(', ');
    if (isBuiltInGroup(resource.group)) {
      logger.warn(
        `The cluster does not keep ${fields} of ${key}: Kubernetes does not know these fields. ` +
          'Let the handlers return nothing, or store it elsewhere. This is reported once for this resource.',
      );
      return;
    }
    logger.warn(
      `The cluster does not keep ${fields} of ${key}: its schema does not know these fields. ` +
        'Add "x-kubernetes-preserve-unknown-fields: true" to the status in its CustomResourceDefinition, ' +
        'or let the handlers return nothing. This is reported once for this resource.',
    );
  }
}

/** Checks whether the cluster has stored all fields of a patch, whatever else it has made of them. */
export function hasFields(patch: ResourcePatch, stored: KubeObject): boolean {
  const fields = patch.toMergePatch();
  return !fields || !lacksFields(fields, stored);
}

/** The same that {@link findDifferences} finds as a removal, without a list of them: each patch of the framework is checked. */
function lacksFields(value: unknown, actual: unknown): boolean {
  const patch = serialized(value);
  if (patch === null || patch === undefined) return false;
  if (isMap(patch)) {
    const members = typeof actual === 'object' && actual !== null ? (actual as JsonMap) : {};
    for (const key in patch) if (lacksFields(patch[key], members[key])) return true;
    return false;
  }
  if (actual !== null && actual !== undefined) return false;
  return !Array.isArray(patch) || patch.length > 0;
}

/** The fields of a patch that are not among those which could not be sent. The status is sent as a whole, and so is the rest. */
function fieldsOutside(unsent: Readonly<JsonMap>, merged: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(merged).filter(([key]) => !Object.hasOwn(unsent, key)));
}

/** Finds where the actual value lacks what the patch says; what else it has does not matter. */
function findDifferences(value: unknown, actual: unknown, path: readonly string[]): DiffItem[] {
  const patch = serialized(value);
  if (patch === null || patch === undefined) {
    return actual === null || actual === undefined ? [] : [['add', path, null, actual]];
  }
  if (typeof patch === 'object' && !Array.isArray(patch)) {
    const members = typeof actual === 'object' && actual !== null ? (actual as Record<string, unknown>) : {};
    return Object.entries(patch).flatMap(([key, value]) => findDifferences(value, members[key], [...path, key]));
  }
  if (actual === null || actual === undefined) {
    return Array.isArray(patch) && patch.length === 0 ? [] : [['remove', path, patch, null]];
  }
  return deepEqual(patch, actual) || isSentAs(patch, actual) ? [] : [['change', path, patch, actual]];
}

/**
 * Checks whether the value in the cluster is what was sent: dates in a list arrive as texts, for example, and `2 ** 60` with
 * zeros at its end.
 */
function isSentAs(patch: unknown, actual: unknown): boolean {
  const isChanged = Array.isArray(patch) || typeof patch === 'number' || typeof patch === 'bigint';
  return isChanged && deepEqual(parseJson(stringifyJson(patch)), actual);
}

/** Checks whether JSON can express the value: it has neither `NaN` nor functions. */
function isSerializable(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : stringifyJson(value) !== undefined;
}
