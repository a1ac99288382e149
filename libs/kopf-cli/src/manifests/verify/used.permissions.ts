import type { Permission } from 'nestjs-kopf/inspection';
import { permissionKey } from 'nestjs-kopf/tooling';

/** A request as `kube.history` of embedded-kube has it, as far as permissions are concerned. */
export interface ObservedRequest {
  readonly verb: string;
  /** The plural with the group: `pods`, `deployments.apps`; empty for paths that are no resources. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  /** Absent while there is no answer. */
  readonly status?: number;
}

/** The permissions that a run of the operator has used, each once, and those that it was denied. */
export interface ObservedPermissions {
  readonly used: readonly Permission[];
  readonly refused: readonly Permission[];
}

/**
 * Learns from the requests of a run which permissions an operator has used. A refused request has used none.
 *
 * @example
 * const { used, refused } = learnPermissions(kube.history.requests({ user: 'system:serviceaccount:default:my-operator' }));
 */
export function learnPermissions(requests: readonly ObservedRequest[]): ObservedPermissions {
  const used = new Map<string, Permission>();
  const refused = new Map<string, Permission>();
  for (const request of requests) {
    if (request.resource === '' || isForEverybody(request)) continue;
    const permission = permissionOf(request);
    const found = request.status === 403 ? refused : request.status === 401 ? undefined : used;
    found?.set(permissionKey(permission), permission);
  }
  return { used: [...used.values()], refused: [...refused.values()] };
}

/** The permission that a request needs. */
function permissionOf({ verb, resource, subresource, namespace, name, query }: ObservedRequest): Permission {
  const [plural, ...group] = resource.split('.');
  // As the API server does, a list of the one object of a name counts as a request for it.
  const [, selected] = /^metadata\.name=([^,=!]+)$/.exec(query.get('fieldSelector') ?? '') ?? [];
  const object = name || selected;
  return {
    group: group.join('.'),
    resource: subresource ? `${plural}/${subresource}` : plural,
    verb,
    ...(object && verb !== 'create' && { name: object }),
    ...(namespace && { namespace }),
  };
}

/** Whether every user may make the request, as it is a self review. */
function isForEverybody({ resource }: ObservedRequest): boolean {
  return /^selfsubject\w+\.(authorization|authentication)\.k8s\.io$/.test(resource);
}
