import type { ApiUser } from '../machinery/api.user.js';

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group whose members may do everything, with any roles and bindings. */
export const MASTERS = 'system:masters';

const ACCOUNT_PREFIX = 'system:serviceaccount:';

/** Returns the name under which a service account sends requests. */
export function accountUser(namespace: string, name: string): string {
  return `${ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** Returns the groups that a service account belongs to, besides that of all authenticated users. */
export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Reads the name of a user; `undefined` if it is not that of a service account. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(ACCOUNT_PREFIX)) return undefined;
  const [namespace, name, ...rest] = user.slice(ACCOUNT_PREFIX.length).split(':');
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}

/** Whether nothing can be forbidden to the user. */
export function isMaster({ groups }: ApiUser): boolean {
  return groups.includes(MASTERS);
}
