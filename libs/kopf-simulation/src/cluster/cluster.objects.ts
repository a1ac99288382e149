import { isWatchable, type KubeApi, qualifiedName, resourceApiVersion, WatchSource } from 'nestjs-kopf/tooling';
import type { KopfLogger, KopfSettings, KubeObject, KubeWatchEvent, Resource, WatchStatus } from 'nestjs-kopf';
import type { Clock, Random } from 'kube-common';
import type { WorldChange } from '../world/world.server.js';

/** Resources that a cluster writes all the time for itself, and events under their second name. */
const UNWATCHED = /^(flowcontrol\.apiserver|apiregistration|internal\.apiserver|events)\.k8s\.io$/;
/** Namespaces of the cluster's own components. */
const OWN_NAMESPACES = /^kube-/;

/** A change of an object whose author is not known yet. */
export type ClusterChange = Pick<WorldChange, 'type' | 'resource' | 'namespace' | 'name' | 'object' | 'previous'> & {
  readonly revision: number;
};

/** The client's methods that watch a cluster. */
interface ClusterObjectsTools {
  readonly api: KubeApi;
  readonly settings: KopfSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

/** All objects of a cluster but those of its own components, kept up to date by a watch of each resource. */
export class ClusterObjects {
  /** Called with each change after the first list. */
  onChange?: (change: ClusterChange) => void;
  private readonly objects = new Map<string, Map<string, KubeObject>>();
  private readonly revisions = new Map<string, number>();
  private readonly ending = new AbortController();
  private readonly runs: Promise<void>[] = [];

  constructor(
    readonly resources: readonly Resource[],
    private readonly tools: ClusterObjectsTools,
  ) {}

  /** Lists all objects, then watches them. @throws Error if the user may not watch one of the resources */
  async start(): Promise<void> {
    await Promise.all(this.resources.filter(isWatched).map((resource) => this.follow(resource)));
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.runs);
  }

  /** Whether a resource is watched. @param resource the plural with the group */
  isSeen(resource: string, namespace = ''): boolean {
    return this.objects.has(resource) && !OWN_NAMESPACES.test(namespace);
  }

  /** The newest resource version of all objects of a resource, deleted ones included. @param namespace absent for all */
  revisionOf(resource: string, namespace?: string): number {
    return this.revisions.get(namespace === undefined ? resource : `${resource} ${namespace}`) ?? 0;
  }

  /** The newest resource version of all objects. */
  get revision(): number {
    return Math.max(0, ...this.revisions.values());
  }

  list(resource: string): readonly KubeObject[] {
    return [...(this.objects.get(resource)?.values() ?? [])];
  }

  find(resource: string, uid: string): KubeObject | undefined {
    return this.objects.get(resource)?.get(uid);
  }

  private follow(resource: Resource): Promise<void> {
    const { settings, ...tools } = this.tools;
    const name = qualifiedName(resource);
    this.objects.set(name, new Map());
    return new Promise((resolve, reject) => {
      const onStatus = ({ state }: WatchStatus): void => {
        if (state === 'forbidden') reject(new Error(`The user of the cluster must be allowed to watch ${name}.`));
      };
      const source = new WatchSource({ ...tools, resource, settings: settings.watching, onStatus });
      const run = source.run((event) => {
        if (event === 'LISTED') resolve();
        else this.take(resource, name, event);
      }, this.ending.signal);
      this.runs.push(run);
    });
  }

  private take(resource: Resource, name: string, { type, object: given }: KubeWatchEvent): void {
    const object = { ...given, apiVersion: resourceApiVersion(resource), kind: resource.kind } as KubeObject;
    const { uid = '', namespace = '', name: objectName = '', resourceVersion } = object.metadata;
    if (OWN_NAMESPACES.test(namespace)) return;
    const known = this.objects.get(name)!;
    const previous = known.get(uid);
    const revision = Number(resourceVersion ?? 0);
    if (type === 'DELETED') known.delete(uid);
    else known.set(uid, object);
    for (const key of [name, `${name} ${namespace}`]) {
      this.revisions.set(key, Math.max(this.revisions.get(key) ?? 0, revision));
    }
    const isSame = previous?.metadata.resourceVersion === resourceVersion;
    if (type !== 'DELETED' && isSame) return;
    const change = type === 'DELETED' ? type : previous ? 'MODIFIED' : 'ADDED';
    this.onChange?.({ type: change, resource: name, namespace, name: objectName, object, previous, revision });
  }
}

/** Whether a resource is to be watched: each resource is, in the version that the server prefers. */
export function isWatched(resource: Resource): boolean {
  return resource.preferred && isWatchable(resource) && !UNWATCHED.test(resource.group);
}
