import type { DeleteRequest, WriteOptions } from './write.options.js';

const META_VERSION = 'meta.k8s.io/v1';

/** The options of a write, as those see them who admit it. */
export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions',
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
): object {
  return {
    kind,
    apiVersion: META_VERSION,
    ...(dryRun && { dryRun: ['All'] }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** The options of a deletion, as those see them who admit it. */
export function deletionOptions(
  { dryRun, orphanDependents, preconditions, propagationPolicy }: DeleteRequest,
  gracePeriodSeconds: number | undefined,
): object {
  return {
    kind: 'DeleteOptions',
    apiVersion: META_VERSION,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy && orphanDependents === undefined && { propagationPolicy }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}
