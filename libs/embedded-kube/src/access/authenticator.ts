// access: who reaches the server and what he may do: tokens, users, authorization, certificates, kubeconfigs.
// Without HTTP, so that requests in the process pass the same checks.
// May import: everything up to machinery.

import { unauthorized } from '../errors/status.errors.js';
import type { ApiUser } from '../machinery/api.user.js';

const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Tells by the bearer token who sends a request. */
export class Authenticator {
  private readonly users: Map<string, ApiUser>;

  /** @param users by their tokens */
  constructor(users: Iterable<readonly [token: string, user: ApiUser]>) {
    this.users = new Map(users);
  }

  /** Lets a token be used. */
  add(token: string, user: ApiUser): void {
    this.users.set(token, user);
  }

  /** Lets a token be used no more. */
  remove(token: string): void {
    this.users.delete(token);
  }

  /**
   * @returns the anonymous user for a request without credentials
   * @throws StatusError 401 for wrong ones
   */
  authenticate(authorization: string | undefined): ApiUser {
    if (!authorization) return ANONYMOUS;
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    const user = token === undefined ? undefined : this.users.get(token);
    if (!user) throw unauthorized();
    return user;
  }
}
