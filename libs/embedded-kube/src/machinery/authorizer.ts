import type { ApiUser } from './api.user.js';

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
