// access: who reaches the server and what he may do: tokens, certificates, users, impersonation, authorization, kubeconfigs.
// Without HTTP, so that requests in the process pass the same checks.
// May import: everything up to machinery.

import { unauthorized } from '../errors/status.errors.js';
import type { ApiUser } from '../machinery/api.user.js';
import { ISSUER, type ServiceAccountTokens, type TokenReviewResult } from './service-account.tokens.js';
import { ANONYMOUS, UNAUTHENTICATED } from './users.js';

const ANONYMOUS_USER: ApiUser = { name: ANONYMOUS, groups: [UNAUTHENTICATED] };

/** The certificate that a client has presented. */
export interface ClientCertificate {
  /** Absent if the server's authority has not signed it, or it is not valid any more. */
  readonly holder?: ApiUser;
}

/** The authentication of requests by their credentials. */
export class Authenticator {
  private readonly users: ReadonlyMap<string, ApiUser>;

  /**
   * @param users by their tokens
   * @param accounts the tokens of service accounts
   */
  constructor(
    users: Iterable<readonly [token: string, user: ApiUser]>,
    private readonly accounts: ServiceAccountTokens,
  ) {
    this.users = new Map(users);
  }

  /**
   * @param certificate of the connection; goes before a token if it is trusted
   * @returns the anonymous user for a request without credentials
   * @throws StatusError 401 for wrong ones
   */
  authenticate(authorization: string | undefined, certificate?: ClientCertificate): ApiUser {
    if (certificate?.holder) return certificate.holder;
    const [scheme = '', token] = authorization?.trim().split(' ') ?? [];
    // Other schemes do not count as credentials.
    if (!token || scheme.toLowerCase() !== 'bearer') {
      if (certificate) throw unauthorized();
      return ANONYMOUS_USER;
    }
    const known = this.users.get(token);
    if (known) return known;
    const result = this.accounts.review(token);
    if ('user' in result) return result.user;
    throw unauthorized();
  }

  /** Finds whose a token is, for a TokenReview. @param audiences of whom one has to be the token's; by default those of the server */
  review(token: string, audiences: readonly string[]): TokenReviewResult {
    const known = this.users.get(token);
    const asked = audiences.length > 0 ? audiences : [ISSUER];
    if (known && asked.includes(ISSUER)) return { user: known, audiences: [ISSUER] };
    return known ? { error: undefined } : this.accounts.review(token, asked);
  }
}
