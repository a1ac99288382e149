import type { KubeObject } from '../../resources/kube-object.js';
import { statusOf } from '../nodes/pod.statuses.js';
import { parseIndexes } from './job.indexes.js';

/** The meaning of a pod's failure for its job. */
export interface PodFailurePolicy {
  readonly rules?: readonly {
    readonly action: string;
    readonly onExitCodes?: {
      readonly containerName?: string;
      readonly operator: string;
      readonly values: readonly number[];
    };
    readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
  }[];
}

/** The conditions under which a job has succeeded before all of its indexes have. */
export interface SuccessPolicy {
  readonly rules?: readonly { readonly succeededIndexes?: string; readonly succeededCount?: number }[];
}

interface Terminated {
  readonly name: string;
  readonly state: { readonly terminated?: { readonly exitCode: number } };
}

/** Returns the effect of a failed pod: the action of the first rule that matches, and the message of a job that fails by it. */
export function failureAction(
  policy: PodFailurePolicy | undefined,
  pod: KubeObject,
): { readonly action: string; readonly message?: string } {
  const { namespace, name } = pod.metadata;
  for (const [index, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    if (onExitCodes) {
      const { containerName, operator, values } = onExitCodes;
      const containers = (statusOf(pod).containerStatuses ?? []) as unknown as readonly Terminated[];
      const failed = containers.find((each) => {
        const exitCode = each.state.terminated?.exitCode ?? 0;
        const isMeant = containerName === undefined || containerName === each.name;
        return isMeant && exitCode !== 0 && values.includes(exitCode) === (operator === 'In');
      });
      if (!failed) continue;
      const exitCode = failed.state.terminated?.exitCode;
      const subject = `Container ${failed.name} for pod ${namespace}/${name}`;
      return {
        action,
        message: `${subject} failed with exit code ${exitCode} matching ${action} rule at index ${index}`,
      };
    }
    const condition = statusOf(pod).conditions?.find((each) =>
      onPodConditions?.some(({ type, status = 'True' }) => each.type === type && each.status === status),
    );
    if (!condition) continue;
    const subject = `Pod ${namespace}/${name}`;
    return { action, message: `${subject} has condition ${condition.type} matching ${action} rule at index ${index}` };
  }
  return { action: 'Count' };
}

/** Returns the message of a job that has succeeded by a rule; undefined while none is met. */
export function successMessage(policy: SuccessPolicy | undefined, succeeded: ReadonlySet<number>): string | undefined {
  const met = policy?.rules?.findIndex(({ succeededIndexes, succeededCount }) => {
    if (!succeeded.size) return false;
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = [...parseIndexes(succeededIndexes)];
    const done = required.filter((index) => succeeded.has(index)).length;
    return done === required.length || (succeededCount !== undefined && done >= succeededCount);
  });
  return met === undefined || met < 0 ? undefined : `Matched rules at index ${met}`;
}
