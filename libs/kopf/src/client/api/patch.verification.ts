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

/** The comparison of a patch with the resulting object, with a warning about missing fields. */
@Injectable()
export class PatchVerification {
  constructor(@InjectOwn(Redactor) private readonly redactor = new Redactor()) {}

  /**
   * Verifies the fields of the patch that were merged, even if the rest met a conflict or could not be sent.
   *
   * @param pruned the resources for which a warning was logged that the cluster does not keep their status, as there is one warning for
   *   each.
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

/** Whether the cluster has stored all fields of a patch, whatever other changes it has made. */
export function hasFields(patch: ResourcePatch, stored: KubeObject): boolean {
  const fields = patch.toMergePatch();
  return !fields || !lacksFields(fields, stored);
}

/**
 * Whether {@link findDifferences} would find a removed field, without building the list of differences: each patch of the framework is
 * checked.
 */
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

/** Returns the fields of a patch without those that could not be sent. The status is sent as a whole, and so is the rest. */
function fieldsOutside(unsent: Readonly<JsonMap>, merged: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(merged).filter(([key]) => !Object.hasOwn(unsent, key)));
}

/** Finds the differences where the actual value lacks a field of the patch; additional fields of it are ignored. */
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
 * Whether the value in the cluster equals the value as it was sent: dates in a list arrive as texts, for example, and `2 ** 60` with zeros
 * at its end.
 */
function isSentAs(patch: unknown, actual: unknown): boolean {
  const isChanged = Array.isArray(patch) || typeof patch === 'number' || typeof patch === 'bigint';
  return isChanged && deepEqual(parseJson(stringifyJson(patch)), actual);
}

/** Whether JSON can represent a value: it contains neither `NaN` nor functions. */
function isSerializable(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : stringifyJson(value) !== undefined;
}
