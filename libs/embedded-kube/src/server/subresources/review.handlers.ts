import { methodNotAllowed } from '../../errors/status.errors.js';
import { mapping } from '../../common/json.values.js';
import type { Clock } from '../../common/clock.js';
import { timestamp } from '../../common/timestamps.js';
import type { ApiResponse } from '../api.request.js';
import type { ApiUser } from '../../machinery/api.user.js';
import type { Authenticator } from '../../access/authenticator.js';
import type { Authorizer } from '../../access/authorizer.js';
import type { BodyParser } from '../body.parser.js';
import type { ObjectPresenter } from '../object.presenter.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import type { SubresourceAdmission } from './subresource.admission.js';

/** Tells whether a user may do something: the questions of `kubectl auth can-i` and of controllers. */
export class AccessReviewHandler implements SubresourceHandler {
  /** @param key one of the three reviews of access */
  constructor(
    readonly key: string,
    private readonly authenticator: Authenticator,
    private readonly authorizer: Authorizer,
    private readonly presenter: ObjectPresenter,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    const body = mapping(this.bodies.object(request, served));
    const review = await this.admission.create(resourceRequest, { ...body, status: { allowed: false } });
    const spec = mapping(review['spec']);
    const allowed = this.authorizer.authorize({ user: this.userOf(request.headers, spec), ...question(spec) });
    const head = { kind: served.resource.kind, apiVersion: served.apiVersion, metadata: {} };
    return this.presenter.encode({ ...head, spec, status: { allowed } }, undefined, 201);
  }

  private userOf(headers: ResourceRequest['request']['headers'], spec: Readonly<Record<string, unknown>>): ApiUser {
    if (typeof spec['user'] !== 'string') return this.authenticator.authenticate(headers['authorization']);
    return { name: spec['user'], groups: Array.isArray(spec['groups']) ? spec['groups'].map(String) : [] };
  }
}

/** Tells a user who he is. */
export class SelfReviewHandler implements SubresourceHandler {
  readonly key = 'selfsubjectreviews.authentication.k8s.io';

  constructor(
    private readonly authenticator: Authenticator,
    private readonly presenter: ObjectPresenter,
    private readonly clock: Clock,
    private readonly admission: SubresourceAdmission,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    await this.admission.create(resourceRequest, { status: { userInfo: {} } });
    const { name, uid, groups } = this.authenticator.authenticate(request.headers['authorization']);
    const review = {
      kind: served.resource.kind,
      apiVersion: served.apiVersion,
      metadata: { creationTimestamp: timestamp(this.clock.now()) },
      status: { userInfo: { username: name, ...(uid && { uid }), groups } },
    };
    return this.presenter.encode(review, undefined, 201);
  }
}

function question(spec: Readonly<Record<string, unknown>>) {
  const resource = mapping(spec['resourceAttributes']);
  const path = mapping(spec['nonResourceAttributes']);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const subresource = text(resource['subresource']);
  return {
    verb: text(resource['verb'] ?? path['verb']),
    ...(typeof path['path'] === 'string' && { path: path['path'] }),
    group: text(resource['group']),
    resource: text(resource['resource']) + (subresource ? `/${subresource}` : ''),
    namespace: text(resource['namespace']),
    name: text(resource['name']),
  };
}
