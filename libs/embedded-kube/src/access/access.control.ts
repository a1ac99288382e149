import type { Clock } from 'kube-common';
import type { ApiUser } from '../machinery/api.user.js';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { ObjectStore } from '../storage/object.store.js';
import { Authenticator } from './authenticator.js';
import { AuthenticatedAuthorizer } from './authorizer.js';
import type { Authorizer } from '../machinery/authorizer.js';
import { createBootstrapFlows } from './flow-control/bootstrap.flows.js';
import { FlowClassifier } from './flow-control/flow.classifier.js';
import type { IdentityStore } from './identity.store.js';
import { createBootstrapPolicy } from './rbac/bootstrap.policy.js';
import { EscalationPlugin } from './rbac/escalation.plugin.js';
import { RbacAuthorizer } from './rbac/rbac.authorizer.js';
import { RuleResolver } from './rbac/rule.resolver.js';
import { ServiceAccountTokens } from './service-account.tokens.js';
import { TokenSigner } from './token.signer.js';
import { AUTHENTICATED, MASTERS } from './users.js';

/** The user of requests with the server's own token. */
export const ADMINISTRATOR: ApiUser = { name: 'admin', groups: [MASTERS, AUTHENTICATED] };

/** The options of access to the server. */
export interface AccessOptions {
  /** Further users by their tokens. */
  readonly users?: Readonly<Record<string, ApiUser>>;
  /** @default every user with a token may do everything */
  readonly authorization?: 'rbac' | 'authenticated';
  /** An authorizer in place of `authorization`. */
  readonly authorizer?: Authorizer;
}

/** The dependencies of access control. */
export interface AccessContext {
  readonly store: ObjectStore;
  readonly identities: IdentityFactory;
  readonly identityStore: IdentityStore;
  readonly clock: Clock;
  /** The administrator's bearer token. */
  readonly token: string;
}

/** Authentication and authorization of requests, and the tokens and certificates that belong to them. */
export class AccessControl {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly signer: TokenSigner;
  /** The tokens of service accounts. */
  readonly tokens: ServiceAccountTokens;
  /** The plugins that keep users from granting rights that they do not have. */
  readonly plugins: readonly EscalationPlugin[];
  /**
   * The flow schemas of requests, where the server has the objects of a whole cluster; with RBAC only, as its objects cost time at the
   * start.
   */
  readonly flows: FlowClassifier | undefined;
  private readonly isRbac: boolean;

  constructor(
    options: AccessOptions,
    private readonly context: AccessContext,
  ) {
    const { store, identities, identityStore, clock, token } = context;
    const users = Object.entries(options.users ?? {}).map(([key, { groups, ...user }]): [string, ApiUser] => [
      key,
      { ...user, groups: [...groups, AUTHENTICATED] },
    ]);
    this.signer = new TokenSigner((generate) => identityStore.signingKey(generate));
    this.tokens = new ServiceAccountTokens(store, this.signer, identities, clock);
    this.authenticator = new Authenticator([[token, ADMINISTRATOR], ...users], this.tokens);
    this.isRbac = options.authorization === 'rbac' && !options.authorizer;
    const resolver = new RuleResolver(store);
    this.authorizer =
      options.authorizer ?? (this.isRbac ? new RbacAuthorizer(resolver) : new AuthenticatedAuthorizer());
    this.flows = this.isRbac ? new FlowClassifier(store) : undefined;
    this.plugins = this.isRbac ? [new EscalationPlugin(resolver, this.authorizer)] : [];
  }

  /** Creates the roles and bindings that users of RBAC rely on, and the flow schemas. Their namespaces have to exist. */
  async start(): Promise<void> {
    const { store, identities, clock } = this.context;
    if (!this.isRbac) return;
    await createBootstrapPolicy(store, identities, clock);
    await createBootstrapFlows(store, identities, clock);
  }
}
