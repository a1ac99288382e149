import { forbidden } from '../errors/status.errors.js';
import { StatusError } from '../errors/status.error.js';
import type { ApiUser } from '../machinery/api.user.js';
import { ANONYMOUS } from './users.js';

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

/** Lists what a user may do in a namespace, as `kubectl auth can-i --list` shows it. */
export interface AccessRules {
  readonly resourceRules: readonly object[];
  readonly nonResourceRules: readonly object[];
  /** Is true if there may be rules that are not listed. */
  readonly incomplete: boolean;
  /** The reason why rules are missing. */
  readonly evaluationError?: string;
}

/** Decides who may do what. */
export interface Authorizer {
  /** Decides whether the user may do it. */
  authorize(attributes: AuthorizationAttributes): boolean;
  /** Says why the user may do it, for reviews of access; nothing if there is no more to say than that. */
  explain?(attributes: AuthorizationAttributes): string | undefined;
  /** Lists what the user may do in the namespace. @default reviews of rules say that the list is incomplete */
  rulesFor?(user: ApiUser, namespace: string): AccessRules;
}

const PUBLIC_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Allows everything to whoever has a token, and health and version to everybody. */
export class AuthenticatedAuthorizer implements Authorizer {
  authorize({ user, path }: AuthorizationAttributes): boolean {
    return user.name !== ANONYMOUS || (path !== undefined && PUBLIC_PATHS.has(path));
  }

  rulesFor({ name }: ApiUser): AccessRules {
    if (name === ANONYMOUS) {
      const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: [...PUBLIC_PATHS] }];
      return { resourceRules: [], nonResourceRules, incomplete: false };
    }
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
}

/** @throws StatusError 403, worded as the real server's */
export function assertAuthorized(authorizer: Authorizer, attributes: AuthorizationAttributes): void {
  if (!authorizer.authorize(attributes)) throw accessDenied(attributes);
}

/** The error response to somebody who may not do something. */
export function accessDenied({
  user,
  verb,
  path,
  group,
  resource,
  namespace,
  name,
}: AuthorizationAttributes): StatusError {
  const who = `User ${JSON.stringify(user.name)}`;
  if (path !== undefined) {
    return new StatusError(403, 'Forbidden', `forbidden: ${who} cannot ${verb} path ${JSON.stringify(path)}`, {});
  }
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const message = `${who} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`;
  return forbidden({ group, name: resource.split('/')[0]! }, name, message);
}
