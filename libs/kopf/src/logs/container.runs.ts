import type { KubeObject } from '../objects/kube-object.js';

/** One run of a container, from its start to its end; a restart is another run. */
export interface ContainerRun {
  readonly id: string;
  readonly restartCount: number;
  /** Milliseconds since the epoch; `undefined` if it is not known. */
  readonly startedAt: number | undefined;
  readonly hasEnded: boolean;
}

/** The runs of a container whose logs the node still has. */
export interface ContainerRuns {
  readonly name: string;
  /** The run whose log is read by default. */
  readonly current: ContainerRun;
  /** The run before it, whose log is read by `previous=true`. */
  readonly previous: ContainerRun | undefined;
}

interface ContainerState {
  readonly containerID?: string;
  readonly startedAt?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly containerID?: string;
  readonly restartCount?: number;
  readonly state?: { readonly running?: ContainerState; readonly terminated?: ContainerState };
  readonly lastState?: { readonly terminated?: ContainerState };
}

/** Finds the containers of a pod that have been started: init containers, ephemeral ones, and the others. */
export function findContainerRuns({ status }: KubeObject): readonly ContainerRuns[] {
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = (status ?? {}) as Record<string, readonly ContainerStatus[] | undefined>;
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].flatMap(
    (each) => toRuns(each) ?? [],
  );
}

/** Determines the runs whose logs the kubelet sends: for a container that waits for its restart, `current` is its last run. */
function toRuns({ name, containerID, restartCount = 0, state = {}, lastState = {} }: ContainerStatus) {
  const { running, terminated } = state;
  const last = lastState.terminated;
  const previous = toRun(last, restartCount - 1, true);
  if (running) {
    const current = toRun({ containerID, ...running }, restartCount, false);
    return current && { name, current, previous };
  }
  const ended = toRun(terminated, restartCount, true);
  if (ended) return { name, current: ended, previous };
  const waiting = toRun(last, restartCount, true);
  return waiting && { name, current: waiting, previous: undefined };
}

function toRun(details: ContainerState | undefined, restartCount: number, hasEnded: boolean): ContainerRun | undefined {
  if (!details?.containerID) return undefined;
  const startedAt = details.startedAt === undefined ? undefined : Date.parse(details.startedAt);
  return { id: details.containerID, restartCount: Math.max(0, restartCount), startedAt, hasEnded };
}
