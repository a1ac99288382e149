import type { AuthorizationAttributes, Authorizer } from '../../machinery/authorizer.js';
import type { Authenticator } from '../../access/authenticator.js';
import type { Clock } from 'kube-common';
import { mapping } from '../../common/json.values.js';
import { timestamp } from '../../common/timestamps.js';
import { badRequest } from '../../errors/status.errors.js';
import type { ApiUser } from '../../machinery/api.user.js';
import type { ApiResponse } from '../api.request.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { validateAccessReview, type AccessReviewKind } from './access-review.validation.js';
import type { ReviewExchange } from './review.exchange.js';

type Fields = Readonly<Record<string, unknown>>;

/** The handler of access reviews, whether a user may do something: `kubectl auth can-i`, and questions of controllers. */
export class AccessReviewHandler implements SubresourceHandler {
  readonly key: string;

  /** @param kind one of the three reviews of access */
  constructor(
    private readonly kind: AccessReviewKind,
    private readonly authorizer: Authorizer,
    private readonly reviews: ReviewExchange,
  ) {
    this.key = `${kind}.authorization.k8s.io`;
  }

  async handle(request: ResourceRequest): Promise<ApiResponse> {
    const { namespace } = request.target;
    const { metadata, ...review } = await this.reviews.read(request, (given) =>
      validateAccessReview(this.kind, given, namespace),
    );
    const spec = mapping(review['spec']);
    const user = this.kind === 'selfsubjectaccessreviews' ? request.user : userOf(spec);
    const question = { user, ...questionOf(spec) };
    const allowed = this.authorizer.authorize(question);
    const reason = allowed ? this.authorizer.explain?.(question) : undefined;
    const status = { allowed, ...(reason && { reason }) };
    const home = namespace && metadata.namespace ? { namespace } : {};
    return this.reviews.answer(request, { ...review, metadata: home, status });
  }
}

/** The handler of rules reviews, what a user may do in a namespace: `kubectl auth can-i --list`. */
export class RulesReviewHandler implements SubresourceHandler {
  readonly key = 'selfsubjectrulesreviews.authorization.k8s.io';

  constructor(
    private readonly authorizer: Authorizer,
    private readonly reviews: ReviewExchange,
  ) {}

  async handle(request: ResourceRequest): Promise<ApiResponse> {
    const { spec } = await this.reviews.read(request);
    const { namespace } = mapping(spec);
    if (typeof namespace !== 'string' || !namespace) throw badRequest('no namespace on request');
    const status = this.authorizer.rulesFor?.(request.user, namespace) ?? UNKNOWN_RULES;
    return this.reviews.answer(request, { spec: {}, status });
  }
}

/** The handler of self reviews, as which user the server knows the sender: `kubectl auth whoami`. */
export class SelfReviewHandler implements SubresourceHandler {
  readonly key = 'selfsubjectreviews.authentication.k8s.io';

  constructor(
    private readonly reviews: ReviewExchange,
    private readonly clock: Clock,
  ) {}

  async handle(request: ResourceRequest): Promise<ApiResponse> {
    await this.reviews.read(request);
    const metadata = { creationTimestamp: timestamp(this.clock.now()) };
    return this.reviews.answer(request, { metadata, status: { userInfo: userInfo(request.user) } });
  }
}

/** The handler of token reviews, whose token it is: webhooks and other services ask it about tokens of service accounts. */
export class TokenReviewHandler implements SubresourceHandler {
  readonly key = 'tokenreviews.authentication.k8s.io';

  constructor(
    private readonly authenticator: Authenticator,
    private readonly reviews: ReviewExchange,
  ) {}

  async handle(request: ResourceRequest): Promise<ApiResponse> {
    const { metadata, spec: given } = await this.reviews.read(request);
    const spec = mapping(given);
    const { token, audiences } = spec;
    if (typeof token !== 'string' || !token) throw badRequest('token is required for TokenReview in authentication');
    const { name } = metadata;
    const status = this.statusOf(token, Array.isArray(audiences) ? audiences.map(String) : []);
    return this.reviews.answer(request, { metadata: name ? { name } : {}, spec, status });
  }

  private statusOf(token: string, audiences: readonly string[]): object {
    const result = this.authenticator.review(token, audiences);
    if ('user' in result) {
      return { authenticated: true, user: userInfo(result.user), audiences: result.audiences };
    }
    const error = result.error === undefined ? INVALID_TOKEN : `[${INVALID_TOKEN}, ${result.error}]`;
    return { user: {}, error };
  }
}

const INVALID_TOKEN = 'invalid bearer token';
const UNKNOWN_RULES = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  evaluationError: 'the authorizer does not support rule resolution',
};

function userInfo({ name, uid, groups, extra }: ApiUser): object {
  return { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) };
}

function userOf({ user, uid, groups, extra }: Fields): ApiUser {
  return {
    name: typeof user === 'string' ? user : '',
    groups: Array.isArray(groups) ? groups.map(String) : [],
    ...(typeof uid === 'string' && uid && { uid }),
    ...(extra !== undefined && { extra: extra as NonNullable<ApiUser['extra']> }),
  };
}

function questionOf(spec: Fields): Omit<AuthorizationAttributes, 'user'> {
  const resource = mapping(spec['resourceAttributes']);
  const path = mapping(spec['nonResourceAttributes']);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const subresource = text(resource['subresource']);
  return {
    verb: text(resource['verb'] ?? path['verb']),
    ...(spec['nonResourceAttributes'] !== undefined && { path: text(path['path']) }),
    group: text(resource['group']),
    resource: text(resource['resource']) + (subresource ? `/${subresource}` : ''),
    namespace: text(resource['namespace']),
    name: text(resource['name']),
  };
}
