import { forbidden } from '../errors/status.errors.js';
import { StatusError } from '../errors/status.error.js';
import type { ApiUser } from '../machinery/api.user.js';

/** Describes an access that a user requests. */
export interface AuthorizationAttributes {
  readonly user: ApiUser;
  readonly verb: string;
  /** Set for paths that are no resources. */
  readonly path?: string;
  readonly group: string;
  /** With its subresource: `pods/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Decides who may do what. */
export interface Authorizer {
  /** Decides whether the user may do it. */
  authorize(attributes: AuthorizationAttributes): boolean;
}

const PUBLIC_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Allows everything to whoever has a token, and health and version to everybody. */
export class AuthenticatedAuthorizer implements Authorizer {
  authorize({ user, path }: AuthorizationAttributes): boolean {
    return user.name !== 'system:anonymous' || (path !== undefined && PUBLIC_PATHS.has(path));
  }
}

/** @throws StatusError 403, worded as the real server's */
export function assertAuthorized(authorizer: Authorizer, attributes: AuthorizationAttributes): void {
  if (authorizer.authorize(attributes)) return;
  const { user, verb, path, group, resource, namespace, name } = attributes;
  const who = `User ${JSON.stringify(user.name)}`;
  if (path !== undefined) {
    throw new StatusError(403, 'Forbidden', `forbidden: ${who} cannot ${verb} path ${JSON.stringify(path)}`, {});
  }
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const message = `${who} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`;
  throw forbidden({ group, name: resource.split('/')[0]! }, name, message);
}
