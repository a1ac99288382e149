import { forbidden } from '../errors/status.errors.js';
import { StatusError } from '../errors/status.error.js';
import type { ApiUser } from '../machinery/api.user.js';
import type { AccessRules, AuthorizationAttributes, Authorizer } from '../machinery/authorizer.js';
import { ANONYMOUS } from './users.js';

const PUBLIC_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** An authorizer that allows everything to every user with a token, and health and version to everyone. */
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

/** Returns the error for a user who may not do something. */
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
