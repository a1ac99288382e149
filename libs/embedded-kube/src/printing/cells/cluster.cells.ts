import { age, conditionStatus, count, since, textOr } from '../cell.format.js';
import { canonicalQuantity } from '../../resources/quantity.js';
import type { CellPrinter, Loose } from '../table.types.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

/** The cells of namespaces, nodes, events and the plain data of the core group. */
export const CLUSTER_CELLS: Readonly<Record<string, CellPrinter>> = {
  namespaces: (object, now) => [object.metadata.name, textOr(object.status?.phase, ''), age(object, now)],
  serviceaccounts: (object, now) => [object.metadata.name, age(object, now)],
  configmaps: (object, now) => [object.metadata.name, size(object.data) + size(object.binaryData), age(object, now)],
  secrets: (object, now) => [object.metadata.name, textOr(object.type, ''), size(object.data), age(object, now)],
  nodes: (object, now) => {
    const { nodeInfo = {}, addresses } = object.status ?? {};
    const kernel = textOr(nodeInfo.kernelVersion, '<unknown>');
    return [
      object.metadata.name,
      nodeStatus(object),
      nodeRoles(object.metadata.labels ?? {}),
      age(object, now),
      textOr(nodeInfo.kubeletVersion, ''),
      nodeAddress(addresses, 'InternalIP'),
      nodeAddress(addresses, 'ExternalIP'),
      textOr(nodeInfo.osImage, '<unknown>'),
      nodeInfo.architecture ? `${kernel} (${nodeInfo.architecture})` : kernel,
      textOr(nodeInfo.containerRuntimeVersion, '<unknown>'),
    ];
  },
  events: eventCells,
  'events.events.k8s.io': (event, now) =>
    eventCells(
      {
        ...event,
        involvedObject: event.regarding,
        message: event.note,
        count: event.deprecatedCount,
        firstTimestamp: event.deprecatedFirstTimestamp,
        lastTimestamp: event.deprecatedLastTimestamp,
        source: event.deprecatedSource,
        reportingComponent: event.reportingController,
      },
      now,
    ),
  resourcequotas: (object, now) => {
    const { hard = {}, used = {} } = object.status ?? {};
    const names = Object.keys(hard).sort();
    const text = (wanted: boolean): string =>
      names
        .filter((name) => name.startsWith('limits.') === wanted)
        .map((name) => `${name}: ${canonicalQuantity(used[name])}/${canonicalQuantity(hard[name])}`)
        .join(', ');
    return [object.metadata.name, text(false), text(true), age(object, now)];
  },
  componentstatuses: (object) => {
    const {
      status,
      message = '',
      error = '',
    } = (object.conditions ?? []).find(({ type }: Loose) => type === 'Healthy') ?? {};
    return [object.metadata.name, status ? (status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown', message, error];
  },
  'leases.coordination.k8s.io': (object, now) => [
    object.metadata.name,
    textOr(object.spec?.holderIdentity, ''),
    age(object, now),
  ],
  'runtimeclasses.node.k8s.io': (object, now) => [object.metadata.name, textOr(object.handler, ''), age(object, now)],
  'priorityclasses.scheduling.k8s.io': (object, now) => [
    object.metadata.name,
    count(object.value),
    Boolean(object.globalDefault),
    age(object, now),
    textOr(object.preemptionPolicy, ''),
  ],
};

function eventCells(event: Loose, now: number): (string | number)[] {
  const first = event.firstTimestamp ? since(event.firstTimestamp, now) : since(event.eventTime, now);
  const last = event.series
    ? since(event.series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : first;
  const { kind = '', name, fieldPath } = event.involvedObject ?? {};
  const component = event.source?.component || event.reportingComponent || '';
  const instance = event.source?.host || event.reportingInstance || '';
  return [
    last,
    textOr(event.type, ''),
    textOr(event.reason, ''),
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    textOr(fieldPath, ''),
    instance ? `${component}, ${instance}` : component,
    textOr(event.message, '').trim(),
    first,
    event.series ? count(event.series.count) : event.count || 1,
    event.metadata.name,
  ];
}

function nodeStatus({ spec, status }: Loose): string {
  const ready = conditionStatus(status?.conditions, 'Ready');
  const text = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
}

function nodeRoles(labels: Readonly<Record<string, string>>): string {
  const roles = Object.entries(labels).map(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter(Boolean))].sort().join(',') || '<none>';
}

function nodeAddress(addresses: readonly Loose[] | undefined, type: string): string {
  return addresses?.find((address) => address.type === type)?.address ?? '<none>';
}

function size(map: object | undefined): number {
  return Object.keys(map ?? {}).length;
}
