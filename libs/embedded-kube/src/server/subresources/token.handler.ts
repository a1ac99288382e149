import type { Clock } from 'kube-common';
import { isMapping, mapping } from '../../common/json.values.js';
import { timestamp } from '../../common/timestamps.js';
import { type FieldError, invalidField } from '../../errors/field.error.js';
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../../errors/status.errors.js';
import { ISSUER, type ServiceAccountTokens, type TokenBinding } from '../../access/service-account.tokens.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import type { ObjectPresenter } from '../object.presenter.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { creationOptions, type SubresourceAdmission } from './subresource.admission.js';

const KIND = { group: 'authentication.k8s.io', name: 'TokenRequest' };
const DEFAULT_LIFETIME = 3600;
const SHORTEST_LIFETIME = 600;
const LONGEST_LIFETIME = 2 ** 32;

/** The handler of `serviceaccounts/token`: issues tokens for service accounts (`kubectl create token`). */
export class TokenHandler implements SubresourceHandler {
  readonly key = 'serviceaccounts/token';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly tokens: ServiceAccountTokens,
    private readonly presenter: ObjectPresenter,
    private readonly clock: Clock,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    const { namespace, name } = target;
    this.bodies.assertObjectType(request);
    const options = creationOptions(resourceRequest);
    const body = mapping(this.bodies.object(request, served));
    assertNames(mapping(body['metadata']), target);
    const { object: account } = this.machinery.get(served, namespace, name);
    const given = mapping(body['spec']);
    const audiences =
      Array.isArray(given['audiences']) && given['audiences'].length > 0 ? given['audiences'] : [ISSUER];
    const completed = { expirationSeconds: DEFAULT_LIFETIME, ...given, audiences };
    const { spec: admitted } = await this.admission.create(resourceRequest, { ...body, spec: completed }, options);
    const spec = mapping(admitted);
    const lifetime = Number(spec['expirationSeconds']);
    const errors = validateLifetime(lifetime);
    if (errors.length > 0) throw invalid(KIND, '', errors);
    const reference = isMapping(spec['boundObjectRef']) ? spec['boundObjectRef'] : undefined;
    const binding = reference ? this.binding(reference, account) : {};
    const token = this.tokens.issue(account, binding, audiences.map(String), lifetime);
    const now = this.clock.now();
    const answer = {
      kind: KIND.name,
      apiVersion: `${KIND.group}/v1`,
      metadata: { name, namespace, uid: account.metadata.uid, creationTimestamp: timestamp(now) },
      spec: { audiences: spec['audiences'], expirationSeconds: lifetime, boundObjectRef: reference ?? null },
      status: { token, expirationTimestamp: timestamp(now + lifetime * 1000) },
    };
    return this.presenter.encode(answer, undefined, 201);
  }

  /** Finds the object whose deletion ends the token. */
  private binding(reference: Readonly<Record<string, unknown>>, account: KubeObject): TokenBinding {
    const { kind, apiVersion, name: given, uid } = reference;
    const name = String(given ?? '');
    const { namespace = '', name: accountName } = account.metadata;
    const plural = apiVersion === 'v1' ? BOUND[String(kind)] : undefined;
    if (!plural) {
      const [version, group = ''] = String(apiVersion ?? '')
        .split('/')
        .reverse();
      throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${String(kind)}`);
    }
    const object = this.find(plural, plural === 'nodes' ? '' : namespace, name);
    if (!object) throw notFound({ group: '', name: plural }, name);
    if (plural === 'pods' && mapping(object['spec'])['serviceAccountName'] !== accountName) {
      throw badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
      );
    }
    if (uid && uid !== object.metadata.uid) {
      const detail = `the UID in the bound object reference (${String(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ group: '', name: String(kind) }, name, detail);
    }
    if (plural === 'secrets') return { secret: object };
    return plural === 'nodes' ? { node: object } : { pod: object, ...this.nodeOf(object) };
  }

  private nodeOf(pod: KubeObject): { readonly node?: KubeObject } {
    const { nodeName } = mapping(pod['spec']);
    if (typeof nodeName !== 'string' || !nodeName) return {};
    const unknown: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } };
    return { node: this.find('nodes', '', nodeName) ?? unknown };
  }

  private find(collection: string, namespace: string, name: string): KubeObject | undefined {
    return this.machinery.store.collection(collection).get(namespace, name)?.object;
  }
}

/** The kinds that tokens can be bound to, with their collections. */
const BOUND: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' };

function assertNames(metadata: Readonly<Record<string, unknown>>, target: ResourceRequest['target']): void {
  const { name, namespace } = metadata;
  if (namespace && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (!name || name === target.name) return;
  const rule = 'must match the service account name if specified';
  throw invalid(KIND, target.name, [invalidField('metadata.name', name, rule)]);
}

function validateLifetime(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < SHORTEST_LIFETIME) {
    return [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')];
  }
  if (seconds <= LONGEST_LIFETIME) return [];
  return [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
}
