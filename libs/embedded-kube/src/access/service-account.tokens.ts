import type { Clock } from 'kube-common';
import { mapping } from '../common/json.values.js';
import type { ApiUser } from '../machinery/api.user.js';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ObjectStore } from '../storage/object.store.js';
import { quoted } from './rbac/policy.rule.js';
import { claimsOf, type TokenSigner } from './token.signer.js';
import { accountGroups, accountUser, AUTHENTICATED } from './users.js';

/** The issuer of the tokens, which is also their audience unless another one is asked for. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

const EXTRA = 'authentication.kubernetes.io';
/** The difference between clocks that is tolerated, in seconds. */
const LEEWAY = 60;
const INVALIDATED = 'service account token has been invalidated';
/** The number of tokens whose checked signatures are remembered. */
const REMEMBERED = 1000;

/** The objects besides its account whose deletion ends a token. */
export interface TokenBinding {
  readonly pod?: KubeObject;
  /** The node of the pod, or the object that the token is bound to. */
  readonly node?: KubeObject;
  readonly secret?: KubeObject;
}

/** The owner of a token, or why the token is not accepted: reviews show no more of tokens of others. */
export type TokenReviewResult =
  { readonly user: ApiUser; readonly audiences: readonly string[] } | { readonly error: string | undefined };

type Claims = Readonly<Record<string, unknown>>;
type Reference = { readonly name: string; readonly uid?: string };

/** The tokens of service accounts: issued, and checked. */
export class ServiceAccountTokens {
  private readonly verified = new Map<string, Claims>();

  constructor(
    private readonly store: ObjectStore,
    private readonly signer: TokenSigner,
    private readonly identities: IdentityFactory,
    private readonly clock: Clock,
  ) {}

  /** @param lifetime in seconds */
  issue(account: KubeObject, binding: TokenBinding, audiences: readonly string[], lifetime: number): string {
    const { name = '', namespace = '' } = account.metadata;
    const now = this.now();
    const { node, pod, secret } = binding;
    return this.signer.sign({
      aud: audiences,
      exp: now + lifetime,
      iat: now,
      iss: ISSUER,
      jti: this.identities.uid(),
      'kubernetes.io': {
        namespace,
        ...(node && { node: reference(node) }),
        ...(pod && { pod: reference(pod) }),
        ...(secret && { secret: reference(secret) }),
        serviceaccount: reference(account),
      },
      nbf: now,
      sub: accountUser(namespace, name),
    });
  }

  /** Makes the token of a Secret of the type `kubernetes.io/service-account-token`, which has no end. */
  issueForSecret(account: KubeObject, secret: KubeObject): string {
    const { name = '', namespace = '', uid = '' } = account.metadata;
    return this.signer.sign({
      iss: LEGACY_ISSUER,
      [LEGACY.namespace]: namespace,
      [LEGACY.secret]: secret.metadata.name,
      [LEGACY.account]: name,
      [LEGACY.uid]: uid,
      sub: accountUser(namespace, name),
    });
  }

  /** @param audiences of whom one has to be the token's. @default the API server's */
  review(token: string, audiences: readonly string[] = [ISSUER]): TokenReviewResult {
    const issuer = claimsOf(token)?.['iss'];
    if (issuer !== ISSUER && issuer !== LEGACY_ISSUER) return { error: undefined };
    const claims = this.verify(token);
    if (!claims) return { error: 'go-jose/go-jose: error in cryptographic primitive' };
    const own = issuer === LEGACY_ISSUER ? [ISSUER] : list(claims['aud']);
    const common = own.filter((each) => audiences.includes(each));
    if (common.length === 0) {
      const error = `token audiences [${quoted(own)}] is invalid for the target audiences [${quoted(audiences)}]`;
      return { error };
    }
    const found = issuer === LEGACY_ISSUER ? this.legacyUser(claims, token) : this.userOf(claims);
    return typeof found === 'string' ? { error: found } : { user: found, audiences: common };
  }

  private verify(token: string): Claims | undefined {
    const known = this.verified.get(token);
    if (known) return known;
    const claims = this.signer.verify(token);
    if (!claims) return undefined;
    if (this.verified.size >= REMEMBERED) this.verified.clear();
    this.verified.set(token, claims);
    return claims;
  }

  /** @returns the reason why the claims do not hold any more, in place of a user */
  private userOf(claims: Claims): ApiUser | string {
    const now = this.now();
    if (now > Number(claims['exp']) + LEEWAY) return 'service account token has expired';
    if (now < Number(claims['nbf']) - LEEWAY) return 'service account token is not valid yet';
    const { namespace, serviceaccount, secret, pod, node } = mapping(claims['kubernetes.io']) as {
      readonly namespace: string;
      readonly serviceaccount: Reference;
      readonly secret?: Reference;
      readonly pod?: Reference;
      readonly node?: Reference;
    };
    const account = this.find('serviceaccounts', namespace, serviceaccount);
    if (!account) return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`;
    if (account.metadata.uid !== serviceaccount.uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
    }
    const problem =
      (secret && this.problemOf('secret', namespace, secret)) ??
      (pod && this.problemOf('pod', namespace, pod)) ??
      (node && !pod && this.problemOf('node', '', node));
    if (problem) return problem;
    return {
      name: accountUser(namespace, serviceaccount.name),
      uid: serviceaccount.uid ?? '',
      groups: [...accountGroups(namespace), AUTHENTICATED],
      extra: {
        [`${EXTRA}/credential-id`]: [`JTI=${String(claims['jti'])}`],
        ...(node && { [`${EXTRA}/node-name`]: [node.name] }),
        ...(node?.uid && { [`${EXTRA}/node-uid`]: [node.uid] }),
        ...(pod && { [`${EXTRA}/pod-name`]: [pod.name], [`${EXTRA}/pod-uid`]: [pod.uid ?? ''] }),
      },
    };
  }

  private legacyUser(claims: Claims, token: string): ApiUser | string {
    const text = (key: string): string => String(claims[key] ?? '');
    const namespace = text(LEGACY.namespace);
    const secret = this.find('secrets', namespace, { name: text(LEGACY.secret) });
    if (!secret || secret.metadata.deletionTimestamp) return 'Token has been invalidated';
    const kept = Buffer.from(String(mapping(secret['data'])['token'] ?? ''), 'base64').toString('utf8');
    if (kept !== token) return "Token does not match server's copy";
    const name = text(LEGACY.account);
    const account = this.find('serviceaccounts', namespace, { name });
    if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
    const { uid = '' } = account.metadata;
    if (uid !== text(LEGACY.uid)) return `ServiceAccount UID (${uid}) does not match claim (${text(LEGACY.uid)})`;
    return { name: accountUser(namespace, name), uid, groups: [...accountGroups(namespace), AUTHENTICATED] };
  }

  private problemOf(kind: string, namespace: string, { name, uid }: Reference): string | undefined {
    const object = this.find(`${kind}s`, namespace, { name });
    if (!object) return INVALIDATED;
    const found = object.metadata.uid;
    if (found !== uid) return `${kind} UID (${found}) does not match service account ${kind} ref claim (${uid})`;
    const { deletionTimestamp } = object.metadata;
    const isOver = deletionTimestamp && Date.parse(deletionTimestamp) / 1000 < this.now() - LEEWAY;
    return isOver ? INVALIDATED : undefined;
  }

  private find(collection: string, namespace: string, { name }: Reference): KubeObject | undefined {
    return this.store.collection(collection).get(namespace, name)?.object;
  }

  private now(): number {
    return Math.floor(this.clock.now() / 1000);
  }
}

const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const LEGACY = {
  namespace: 'kubernetes.io/serviceaccount/namespace',
  secret: 'kubernetes.io/serviceaccount/secret.name',
  account: 'kubernetes.io/serviceaccount/service-account.name',
  uid: 'kubernetes.io/serviceaccount/service-account.uid',
};

function reference({ metadata: { name, uid } }: KubeObject): object {
  return { name, ...(uid && { uid }) };
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [String(value ?? '')];
}
