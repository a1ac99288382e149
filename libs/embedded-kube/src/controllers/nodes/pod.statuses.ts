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
  readonly ready?: boolean;
  readonly state: {
    readonly running?: { readonly startedAt: string };
    readonly waiting?: { readonly reason?: string };
    readonly [state: string]: unknown;
  };
  readonly lastState?: { readonly terminated?: { readonly finishedAt?: string } };
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

/** Returns the conditions of a pod that found its node, before it starts. */
export function scheduledConditions(previous: readonly PodCondition[] | undefined, now: string): object[] {
  return conditions(previous, now, { PodScheduled: {} });
}

/** Returns the conditions of a pod for which there is no node. */
export function unschedulableConditions(
  previous: readonly PodCondition[] | undefined,
  message: string,
  now: string,
): object[] {
  return conditions(previous, now, { PodScheduled: { status: 'False', reason: 'Unschedulable', message } });
}

/** The end of a container. */
export interface ContainerEnd {
  readonly exitCode: number;
  /** @default `Completed` or `Error`, by the exit code */
  readonly reason?: string;
  readonly message?: string;
}

/** Makes the status of a pod whose containers run. @param restarts how often they ran before @param last how that ended */
export function runningStatus(
  pod: KubeObject,
  addresses: { podIP: string; hostIP: string },
  restarts: number,
  now: string,
  last: LastState = {},
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
      initContainerStatuses: spec.initContainers.map((each) => ended(each, { exitCode: 0 }, 0, now, now)),
    }),
    containerStatuses: (spec.containers ?? []).map(({ name, image = '' }) => ({
      name,
      state: { running: { startedAt: now } },
      lastState: lastOf(pod, name, restarts - 1, last),
      ready: true,
      restartCount: restarts,
      image,
      imageID: '',
      containerID: containerId(pod, name, restarts),
      started: true,
    })),
  };
}

/** Returns the status of a pod whose containers cannot start: `ImagePullBackOff`, for example. */
export function waitingStatus(pod: KubeObject, waiting: { reason: string; message?: string }, now: string): object {
  const { conditions: before, startTime = now } = statusOf(pod);
  return {
    phase: 'Pending',
    conditions: conditions(before, now, { Initialized: {}, ...notReady(pod), PodScheduled: {} }),
    startTime,
    containerStatuses: (specOf(pod).containers ?? []).map((each) => held(each, waiting, 0, {})),
  };
}

/** Returns the status of a pod whose containers failed, and are restarted after a pause. */
export function crashedStatus(pod: KubeObject, end: ContainerEnd, pause: number, now: string): object {
  const { conditions: before, containerStatuses } = statusOf(pod);
  const { namespace, name: podName, uid } = pod.metadata;
  return {
    phase: 'Running',
    conditions: conditions(before, now, { Initialized: {}, ...notReady(pod), PodScheduled: {} }),
    containerStatuses: (specOf(pod).containers ?? []).map((each) => {
      const previous = containerStatuses?.find(({ name }) => name === each.name);
      const subject = `container=${each.name} pod=${podName}_${namespace}(${uid})`;
      const waiting = { reason: 'CrashLoopBackOff', message: `back-off ${pause}s restarting failed ${subject}` };
      const startedAt = previous?.state.running?.startedAt ?? now;
      const restarts = previous?.restartCount ?? 0;
      const last = { terminated: terminated(end, startedAt, now) };
      return held(each, waiting, restarts, lastOf(pod, each.name, restarts, last));
    }),
  };
}

/** Returns the status of a running pod whose containers are ready, or are not. */
export function readinessStatus(pod: KubeObject, isReady: boolean, now: string): object {
  const { conditions: before = [], containerStatuses = [] } = statusOf(pod);
  const changed = conditions(before, now, isReady ? { Ready: {}, ContainersReady: {} } : notReady(pod));
  const others = before.filter(({ type }) => type !== 'Ready' && type !== 'ContainersReady');
  return {
    conditions: [...others, ...changed],
    containerStatuses: containerStatuses.map((each) => ({ ...each, ready: isReady })),
  };
}

/** Returns the end of the containers of a running pod, as the next run remembers it. */
export function lastStateOf(pod: KubeObject, end: ContainerEnd, now: string): object {
  const startedAt = statusOf(pod).containerStatuses?.[0]?.state.running?.startedAt ?? now;
  return { terminated: terminated(end, startedAt, now) };
}

/** Returns the status of a pod whose containers have ended for good. */
export function endedStatus(pod: KubeObject, end: ContainerEnd, now: string): object {
  const status = statusOf(pod);
  const reason = end.exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  return {
    phase: end.exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditions(status.conditions, now, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: { ...(end.exitCode === 0 && { reason }) },
      Ready: { status: 'False', reason },
      ContainersReady: { status: 'False', reason },
      PodScheduled: {},
    }),
    containerStatuses: (specOf(pod).containers ?? []).map((container) => {
      const before = status.containerStatuses?.find(({ name }) => name === container.name);
      const startedAt = before?.state.running?.startedAt ?? status.startTime ?? now;
      const restarts = before?.restartCount ?? 0;
      const containerID = containerId(pod, container.name, restarts);
      const state = { terminated: { ...terminated(end, startedAt, now), containerID } };
      return { ...stopped(container, state, restarts, before?.lastState ?? {}), containerID };
    }),
  };
}

interface Container {
  readonly name: string;
  readonly image?: string;
}

function ended(
  container: Container,
  end: ContainerEnd,
  restartCount: number,
  startedAt: string,
  finishedAt: string,
): object {
  return stopped(container, { terminated: terminated(end, startedAt, finishedAt) }, restartCount, {});
}

/** Identifies a run of a container. */
function containerId({ metadata: { uid } }: KubeObject, name: string, restarts: number): string {
  return `simulated://${uid}/${name}/${restarts}`;
}

/** Returns the last state of one container, of that which all containers of the pod have in common. */
function lastOf(pod: KubeObject, name: string, restarts: number, last: LastState): object {
  if (!last.terminated) return last;
  return { terminated: { ...last.terminated, containerID: containerId(pod, name, restarts) } };
}

interface LastState {
  readonly terminated?: object;
}

function held(container: Container, waiting: object, restartCount: number, lastState: object): object {
  return stopped(container, { waiting }, restartCount, lastState);
}

function stopped({ name, image = '' }: Container, state: object, restartCount: number, lastState: object): object {
  return { name, state, lastState, ready: false, restartCount, image, imageID: '', started: false };
}

function terminated({ exitCode, reason, message }: ContainerEnd, startedAt: string, finishedAt: string): object {
  const byCode = exitCode === 0 ? 'Completed' : 'Error';
  return { exitCode, reason: reason ?? byCode, ...(message && { message }), startedAt, finishedAt };
}

/** Returns the conditions of a pod none of whose containers is ready. */
function notReady(pod: KubeObject): Record<string, WantedCondition> {
  const names = (specOf(pod).containers ?? []).map(({ name }) => name).join(' ');
  const reason = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names}]`,
  };
  return { Ready: reason, ContainersReady: reason };
}

interface WantedCondition {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

function conditions(
  previous: readonly PodCondition[] | undefined,
  now: string,
  wanted: Readonly<Record<string, WantedCondition>>,
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
