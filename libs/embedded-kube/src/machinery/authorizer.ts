import type { ApiUser } from './api.user.js';

/** An access that a user requests. */
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

/** The rules of what a user may do in a namespace, as `kubectl auth can-i --list` shows them. */
export interface AccessRules {
  readonly resourceRules: readonly object[];
  readonly nonResourceRules: readonly object[];
  /** Whether there may be rules that are missing. */
  readonly incomplete: boolean;
  /** The reason why rules are missing. */
  readonly evaluationError?: string;
}

/** The decision on what users may do. */
export interface Authorizer {
  /** Decides whether the user may do it. */
  authorize(attributes: AuthorizationAttributes): boolean;
  /** Explains why the user may do it, for reviews of access; `undefined` without an explanation. */
  explain?(attributes: AuthorizationAttributes): string | undefined;
  /** Returns what the user may do in the namespace. @default reviews of rules report that the list is incomplete */
  rulesFor?(user: ApiUser, namespace: string): AccessRules;
}
