import type { Clock, KubeTransport, Random } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import { importEmbeddedKube, type ObjectReference, type TestWebhooks } from 'nestjs-kopf/testing';

/** A change of an object, with its author. */
export interface WorldChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The plural with the group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject;
  readonly previous?: KubeObject;
  readonly userAgent: string;
  readonly request?: { readonly headers: Readonly<Record<string, string | undefined>>; readonly subresource: string };
}

/** A resource as the server knows it. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Selects requests and watches of the operator. */
export interface OperatorMatch {
  readonly resource?: string;
  readonly userAgent: RegExp;
}

/** The API server of a run. */
export interface WorldServer {
  readonly url: string;
  readonly faults: {
    /** Hides new changes of a resource from the operator. */
    lag(match: OperatorMatch): { cancel(): void };
    /** Breaks the connections of watches. */
    damageWatches(damage: 'cut', match: OperatorMatch): number;
  };
  /** Reads without any request. */
  readonly client: {
    resources(): readonly ServedResource[];
    resourceOf(apiVersion: string, kind: string): ServedResource | undefined;
    list(resource: ServedResource): readonly KubeObject[];
  };
  /** A transport to the server. @param token authenticates its requests. @default the administrator's */
  transport(token?: string): KubeTransport;
  /** Expires the history, so that watches have to list again. */
  expireHistory(): void;
  stop(): Promise<void>;
}

/** An `EmbeddedKube`, as far as simulations use it. */
export interface EmbeddedWorldServer extends WorldServer {
  snapshot(): object;
}

/** Whether a change deletes an object, or marks it as deleted. */
export function isDeletion({ type, object, previous }: WorldChange): boolean {
  return type === 'DELETED' || (!!object.metadata.deletionTimestamp && !previous?.metadata.deletionTimestamp);
}

/** The parts of a run that its server needs. */
export interface WorldServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly webhookTransport: TestWebhooks;
  /** Returns the seconds after which the garbage collector handles an object. */
  readonly garbageCollectionDelay: () => number;
  readonly onChange: (change: WorldChange) => void;
}

/** The cluster that a server begins with. */
interface InitialCluster {
  readonly snapshot: object;
  /** The user's options of the server. */
  readonly given: object;
}

/** The path of an object in the API. @throws TypeError if the server has no resource of its kind */
export function pathOfObject({ client }: Pick<WorldServer, 'client'>, object: ObjectReference): string {
  const { apiVersion = '', kind = '', metadata } = object;
  const resource = client.resourceOf(apiVersion, kind);
  if (!resource) throw new TypeError(`The cluster has no ${kind} of ${apiVersion}. Are its CRDs in the manifests?`);
  const { plural, namespaced } = resource;
  const namespace = namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}${namespace}/${plural}/${metadata.name}`;
}

/** The user agent of the user's requests. */
export const USER_AGENT = 'user';

/** The plural of a resource with its group: `pods`, `deployments.apps`. */
export function nameOfResource({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): string {
  return group ? `${plural}.${group}` : plural;
}

const SILENT = { debug: () => {}, log: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Starts a server from a snapshot. */
export async function startWorldServer(
  { onChange, ...options }: WorldServerOptions,
  { snapshot, given }: InitialCluster,
): Promise<WorldServer> {
  const { EmbeddedKube } = await importEmbeddedKube();
  const fixed = { logger: SILENT, port: false, history: { limit: 100, onChange } };
  return (await EmbeddedKube.start({ ...given, ...fixed, ...options, snapshot })) as unknown as WorldServer;
}
