import { errorText } from 'kube-common';
import { ApiForbiddenError, ApiNotFoundError, type KubeObject } from 'nestjs-kopf';
import type { OperatorInspection } from 'nestjs-kopf/inspection';
import type { KubeApi } from 'nestjs-kopf/tooling';
import type { ConsoleActionAnswer, ConsoleActionRequest, ContainerLog, ObjectIdentity } from '../console.api.js';
import { ConsoleError } from '../console.error.js';

/** The most pods in a namespace that are searched, the most containers whose logs are read, and the most lines and bytes of each log. */
const LIMITS = { pods: 500, containers: 10, lines: 200, bytes: 64 * 1024 };

/** The controllers that stand between an object and its pods, and where their objects are. */
const BETWEEN: Readonly<Record<string, string>> = {
  ReplicaSet: '/apis/apps/v1/namespaces/{namespace}/replicasets',
  Job: '/apis/batch/v1/namespaces/{namespace}/jobs',
};

interface OwnerReference {
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** The means of reading. */
export interface LogSource {
  readonly inspection: OperatorInspection;
  readonly api: KubeApi;
}

/** Answers a request for the logs of the pods that an object owns; a dry run shows them, too, as nothing is done. */
export async function showLogs(
  { object, dryRun = true }: ConsoleActionRequest,
  source: LogSource,
  signal: AbortSignal,
): Promise<ConsoleActionAnswer> {
  if (!object) throw new ConsoleError(400, 'The object is missing.');
  const result = await readPodLogs(object, source, signal);
  const text = result.length > 0 ? 'These are the last lines of its pods.' : 'It owns no pods.';
  return { dryRun, text, done: true, result };
}

/**
 * Reads the last lines of the pods that an object owns: of its own ones, and of those that its children have made, as Deployments do; or of
 * the object itself, if it is a pod.
 *
 * @throws ConsoleError 400 if the object can own no pods, 403 if pods may not be listed.
 */
async function readPodLogs(
  object: ObjectIdentity,
  { inspection, api }: LogSource,
  signal: AbortSignal,
): Promise<readonly ContainerLog[]> {
  const { namespace, name, resource } = object;
  if (namespace === undefined) throw new ConsoleError(400, 'Only objects in namespaces own pods.');
  const place = encodeURIComponent(namespace);
  const details = await inspection.object({ resource, namespace, name }, signal);
  const children = details.relatives.filter(({ relation }) => relation === 'child');
  const uids = new Set([details.object.uid, ...children.map(({ uid }) => uid)].filter((uid) => uid !== undefined));
  const pods = await listPods(api, place, signal);
  const owners = new Map<string, Promise<boolean>>();
  const isOwned = async ({ metadata }: KubeObject): Promise<boolean> => {
    if (uids.has(metadata.uid ?? '')) return true;
    for (const owner of ownersOf(metadata)) {
      if (uids.has(owner.uid ?? '')) return true;
      const key = `${owner.kind} ${owner.name}`;
      const found = owners.get(key) ?? isBetween(api, place, owner, uids, signal);
      owners.set(key, found);
      if (await found) return true;
    }
    return false;
  };
  const owned: KubeObject[] = [];
  for (const pod of pods) if (await isOwned(pod)) owned.push(pod);
  const containers = owned.flatMap((pod) =>
    containersOf(pod).map((container) => [pod.metadata.name!, container] as const),
  );
  return Promise.all(
    containers.slice(0, LIMITS.containers).map(([pod, container]) => readLog(api, place, pod, container, signal)),
  );
}

/** Lists the pods of a namespace, the newest first. */
async function listPods(api: KubeApi, place: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    const { items } = await api.list(`/api/v1/namespaces/${place}/pods?limit=${LIMITS.pods}`, {
      signal,
      retries: false,
    });
    const born = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
    return [...items].sort((one, other) => (born(one) < born(other) ? 1 : -1));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiForbiddenError)
      throw new ConsoleError(403, 'The operator may not list pods in this namespace.');
    throw new ConsoleError(502, `The pods could not be listed: ${errorText(error)}`);
  }
}

/** Whether the owner of a pod is a controller of one of the objects; not if it may not be read. */
async function isBetween(
  api: KubeApi,
  place: string,
  { kind = '', name = '' }: OwnerReference,
  uids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  if (!Object.hasOwn(BETWEEN, kind)) return false;
  try {
    const path = `${BETWEEN[kind].replace('{namespace}', place)}/${encodeURIComponent(name)}`;
    const { metadata } = await api.get<KubeObject>(path, { signal, retries: false });
    return ownersOf(metadata).some(({ uid }) => uids.has(uid ?? ''));
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function readLog(
  api: KubeApi,
  place: string,
  pod: string,
  container: string,
  signal: AbortSignal,
): Promise<ContainerLog> {
  const query = new URLSearchParams({
    container,
    tailLines: String(LIMITS.lines),
    limitBytes: String(LIMITS.bytes),
  });
  const path = `/api/v1/namespaces/${place}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`;
  try {
    const { text } = await api.send('GET', path, undefined, { signal, retries: false, headers: { accept: '*/*' } });
    return { pod, container, text };
  } catch (error) {
    signal.throwIfAborted();
    return { pod, container, problem: explainFailure(error) };
  }
}

function explainFailure(error: unknown): string {
  if (error instanceof ApiForbiddenError) return 'The operator may not read logs of pods.';
  if (error instanceof ApiNotFoundError) return 'The pod has gone.';
  return errorText(error);
}

function containersOf({ spec }: KubeObject): readonly string[] {
  const { containers = [] } = (spec ?? {}) as { readonly containers?: readonly { readonly name: string }[] };
  return containers.map(({ name }) => name);
}

function ownersOf({ ownerReferences }: KubeObject['metadata']): readonly OwnerReference[] {
  return Array.isArray(ownerReferences) ? (ownerReferences as readonly OwnerReference[]) : [];
}
