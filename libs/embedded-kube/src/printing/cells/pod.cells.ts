import { age, conditionStatus, containerCells, count, formatLabels, since, textOr } from '../cell.format.js';
import type { CellPrinter, Loose } from '../table.types.js';

interface Containers {
  status: string;
  ready: number;
  restarts: number;
  lastRestart?: string;
}

/** The cells of pods: the status that kubectl shows is put together from phases, conditions and containers. */
export const POD_CELLS: Readonly<Record<string, CellPrinter>> = {
  pods: (pod, now) => {
    const { spec = {}, status = {} } = pod;
    const initContainers: Loose[] = spec.initContainers ?? [];
    const total = (spec.containers?.length ?? 0) + initContainers.filter(isSidecar).length;
    const state = containersOf(pod, initContainers);
    const restarts =
      state.restarts && state.lastRestart
        ? `${state.restarts} (${since(state.lastRestart, now)} ago)`
        : String(state.restarts);
    return [
      pod.metadata.name,
      `${state.ready}/${total}`,
      statusOf(pod, state.status),
      restarts,
      age(pod, now),
      textOr(status.podIPs?.[0]?.ip, '<none>'),
      textOr(spec.nodeName, '<none>'),
      textOr(status.nominatedNodeName, '<none>'),
      readinessGates(spec.readinessGates, status.conditions),
    ];
  },
  podtemplates: (object) => [
    object.metadata.name,
    ...containerCells(object.template),
    formatLabels(object.template?.metadata?.labels),
  ],
};

/** Returns the condition of a row whose pod has ended, so that clients can hide it. */
export function podRowConditions(pod: Loose): object[] | undefined {
  const reason = pod.status?.phase;
  if (reason !== 'Succeeded' && reason !== 'Failed') return undefined;
  const message = reason === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.';
  return [{ type: 'Completed', status: 'True', reason, message }];
}

function statusOf(pod: Loose, status: string): string {
  if (!pod.metadata.deletionTimestamp) return status;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(pod.status?.phase) ? status : 'Terminating';
}

function containersOf(pod: Loose, initContainers: readonly Loose[]): Containers {
  const { status = {} } = pod;
  const conditions: Loose[] = status.conditions ?? [];
  const gated = conditions.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  const initial = gated ? 'SchedulingGated' : textOr(status.reason, textOr(status.phase, ''));
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  const init = initState(status.initContainerStatuses ?? [], sidecars, initContainers.length, initial);
  if (init.waiting && conditionStatus(conditions, 'Initialized') !== 'True') return init;
  return mainState(status, init);
}

function initState(
  statuses: readonly Loose[],
  sidecars: ReadonlySet<string>,
  total: number,
  initial: string,
): Containers & { waiting: boolean; sidecars: Containers } {
  const result = { status: initial, ready: 0, restarts: 0, waiting: false } as Containers & { waiting: boolean };
  const ofSidecars: Containers = { status: initial, ready: 0, restarts: 0 };
  for (const [index, container] of statuses.entries()) {
    countRestarts(result, container);
    if (sidecars.has(container.name)) countRestarts(ofSidecars, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && count(terminated.exitCode) === 0) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) result.ready++;
      continue;
    }
    if (terminated) result.status = `Init:${terminationReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') result.status = `Init:${waiting.reason}`;
    else result.status = `Init:${index}/${total}`;
    result.waiting = true;
    break;
  }
  return { ...result, sidecars: ofSidecars };
}

function mainState(status: Loose, init: Containers & { sidecars: Containers }): Containers {
  const result: Containers = { ...init.sidecars, status: init.status, ready: init.ready };
  let hasRunning = false;
  let failure = '';
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    countRestarts(result, container);
    const { running, terminated, waiting } = container.state ?? {};
    if (waiting?.reason) {
      result.status = waiting.reason;
    } else if (terminated) {
      result.status = terminationReason(terminated);
      if (count(terminated.exitCode) !== 0) failure = result.status;
    } else if (container.ready && running) {
      hasRunning = true;
      result.ready++;
    }
  }
  if (result.status === 'Completed') {
    if (hasRunning && conditionStatus(status.conditions, 'Ready') === 'True') result.status = 'Running';
    else if (failure) result.status = failure;
    else if (hasRunning) result.status = 'NotReady';
  }
  return result;
}

function countRestarts(total: Containers, container: Loose): void {
  total.restarts += count(container.restartCount);
  const finished: string | undefined = container.lastState?.terminated?.finishedAt;
  if (finished && (!total.lastRestart || Date.parse(finished) > Date.parse(total.lastRestart))) {
    total.lastRestart = finished;
  }
}

function terminationReason({ reason, signal, exitCode }: Loose): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${count(exitCode)}`;
}

function readinessGates(gates: readonly Loose[] | undefined, conditions: readonly Loose[] | undefined): string {
  if (!gates?.length) return '<none>';
  const passed = gates.filter(({ conditionType }) => conditionStatus(conditions, conditionType) === 'True');
  return `${passed.length}/${gates.length}`;
}

function isSidecar(container: Loose): boolean {
  return container.restartPolicy === 'Always';
}
