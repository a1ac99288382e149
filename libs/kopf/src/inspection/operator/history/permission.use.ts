/** Verbs of requests for single objects and for lists, by the method. */
const VERBS: Readonly<Record<string, readonly [single: string, list: string]>> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/([^/?]+)\/(?=[^/?]))?([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?(?:\?(.*))?$/;

/** A permission as a request uses it, without the name of the object. */
export interface UsedPermission {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
}

/** Reads which permission a request uses; `undefined` if it is for no resource. */
export function permissionOfRequest(method: string, path: string): UsedPermission | undefined {
  const found = PATH.exec(path);
  if (!found || !(method in VERBS)) return undefined;
  const [, group = '', namespace, plural, name, subresource, query = ''] = found;
  const isWatch = /(^|&)watch=(1|true)/.test(query);
  const verb = isWatch ? 'watch' : VERBS[method][name === undefined ? 1 : 0];
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { verb, group, resource, ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }) };
}

/** Identifies a permission. */
export function permissionKeyOf({ verb, group, resource, namespace = '' }: UsedPermission): string {
  return `${verb} ${group} ${resource} ${namespace}`;
}

/** The most permissions that are counted, as paths can hold anything. */
const MOST = 5000;

/** The numbers of the operator's requests by the permissions that they use, and the permissions that it lacks. */
export class PermissionUse {
  private readonly counts = new Map<string, { readonly used: UsedPermission; count: number; refused: number }>();

  record(method: string, path: string, status: number): void {
    const used = permissionOfRequest(method, path);
    if (!used) return;
    const key = permissionKeyOf(used);
    let entry = this.counts.get(key);
    if (!entry) {
      if (this.counts.size >= MOST) return;
      this.counts.set(key, (entry = { used, count: 0, refused: 0 }));
    }
    entry.count += 1;
    if (status === 403) entry.refused += 1;
  }

  all(): Iterable<{ readonly used: UsedPermission; readonly count: number; readonly refused: number }> {
    return this.counts.values();
  }

  clear(): void {
    this.counts.clear();
  }
}
