import type { KubeObject } from '../../resources/kube-object.js';

/** The parts of a pod's spec that its life depends on. */
export interface PodSpec {
  readonly nodeName?: string;
  readonly restartPolicy?: string;
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  readonly initContainers?: readonly { readonly name: string; readonly image?: string }[];
}

/** The parts of a pod's status that its life depends on. */
export interface PodStatus {
  readonly phase?: string;
  readonly startTime?: string;
  readonly podIP?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly conditions?: readonly PodCondition[];
}

/** The status of a container, as far as it is simulated. */
export interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly state: { readonly running?: { readonly startedAt: string }; readonly [state: string]: unknown };
}

/** A condition of a pod. */
export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

export function specOf(pod: KubeObject): PodSpec {
  return (pod.spec ?? {}) as PodSpec;
}

export function statusOf(pod: KubeObject): PodStatus {
  return (pod.status ?? {}) as PodStatus;
}

/** The conditions of a pod that found its node, before it starts. */
export function scheduledConditions(previous: readonly PodCondition[] | undefined, now: string): object[] {
  return conditions(previous, now, { PodScheduled: {} });
}

/** The conditions of a pod for which there is no node. */
export function unschedulableConditions(
  previous: readonly PodCondition[] | undefined,
  message: string,
  now: string,
): object[] {
  return conditions(previous, now, { PodScheduled: { status: 'False', reason: 'Unschedulable', message } });
}

/** The status of a pod whose containers run; `restarts` counts how often they ran before. */
export function runningStatus(
  pod: KubeObject,
  addresses: { podIP: string; hostIP: string },
  restarts: number,
  now: string,
): object {
  const spec = specOf(pod);
  const status = statusOf(pod);
  return {
    phase: 'Running',
    conditions: conditions(status.conditions, now, {
      PodReadyToStartContainers: {},
      Initialized: {},
      Ready: {},
      ContainersReady: {},
      PodScheduled: {},
    }),
    hostIP: addresses.hostIP,
    hostIPs: [{ ip: addresses.hostIP }],
    podIP: addresses.podIP,
    podIPs: [{ ip: addresses.podIP }],
    startTime: status.startTime ?? now,
    ...(spec.initContainers?.length && {
      initContainerStatuses: spec.initContainers.map((each) => ended(each, 0, 0, now, now)),
    }),
    containerStatuses: (spec.containers ?? []).map(({ name, image = '' }) => ({
      name,
      state: { running: { startedAt: now } },
      lastState: {},
      ready: true,
      restartCount: restarts,
      image,
      imageID: '',
      containerID: `simulated://${pod.metadata.uid}/${name}/${restarts}`,
      started: true,
    })),
  };
}

/** The status of a pod whose containers have ended for good. */
export function endedStatus(pod: KubeObject, exitCode: number, now: string): object {
  const status = statusOf(pod);
  const reason = exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditions(status.conditions, now, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: { ...(exitCode === 0 && { reason }) },
      Ready: { status: 'False', reason },
      ContainersReady: { status: 'False', reason },
      PodScheduled: {},
    }),
    containerStatuses: (specOf(pod).containers ?? []).map((container) => {
      const before = status.containerStatuses?.find(({ name }) => name === container.name);
      const startedAt = before?.state.running?.startedAt ?? status.startTime ?? now;
      return ended(container, exitCode, before?.restartCount ?? 0, startedAt, now);
    }),
  };
}

function ended(
  { name, image = '' }: { name: string; image?: string },
  exitCode: number,
  restartCount: number,
  startedAt: string,
  finishedAt: string,
): object {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    name,
    state: { terminated: { exitCode, reason, startedAt, finishedAt } },
    lastState: {},
    ready: false,
    restartCount,
    image,
    imageID: '',
    started: false,
  };
}

function conditions(
  previous: readonly PodCondition[] | undefined,
  now: string,
  wanted: Readonly<Record<string, { readonly status?: string; readonly reason?: string; readonly message?: string }>>,
): object[] {
  return Object.entries(wanted).map(([type, { status = 'True', reason, message }]) => {
    const before = previous?.find((condition) => condition.type === type && condition.status === status);
    const lastTransitionTime = before?.lastTransitionTime ?? now;
    return {
      type,
      status,
      lastProbeTime: null,
      lastTransitionTime,
      ...(reason && { reason }),
      ...(message && { message }),
    };
  });
}
