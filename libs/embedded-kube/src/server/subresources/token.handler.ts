import type { Clock } from '../../common/clock.js';
import { timestamp } from '../../common/timestamps.js';
import { methodNotAllowed } from '../../errors/status.errors.js';
import { mapping } from '../../common/json.values.js';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { ApiResponse } from '../api.request.js';
import type { Authenticator } from '../../access/authenticator.js';
import type { BodyParser } from '../body.parser.js';
import type { ObjectPresenter } from '../object.presenter.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import type { SubresourceAdmission } from './subresource.admission.js';

const DEFAULT_LIFETIME = 3600;

/** Issues tokens for service accounts: `kubectl create token`. */
export class TokenHandler implements SubresourceHandler {
  readonly key = 'serviceaccounts/token';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly authenticator: Authenticator,
    private readonly identities: IdentityFactory,
    private readonly presenter: ObjectPresenter,
    private readonly clock: Clock,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    const { namespace, name } = target;
    const account = this.machinery.get(served, namespace, name);
    const body = mapping(this.bodies.object(request, served));
    const given = { expirationSeconds: DEFAULT_LIFETIME, ...mapping(body['spec']) };
    const admitted = await this.admission.create(resourceRequest, { ...body, spec: given });
    const spec = mapping(admitted['spec']);
    const lifetime = Number(spec['expirationSeconds'] ?? DEFAULT_LIFETIME);
    const token = this.identities.token();
    this.authenticator.add(token, {
      name: `system:serviceaccount:${namespace}:${name}`,
      uid: account.object.metadata.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    });
    this.clock.setTimer(() => this.authenticator.remove(token), lifetime * 1000);
    const expirationTimestamp = timestamp(this.clock.now() + lifetime * 1000);
    return this.presenter.encode(
      {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { name, namespace },
        spec: { ...spec, expirationSeconds: lifetime },
        status: { token, expirationTimestamp },
      },
      undefined,
      201,
    );
  }
}
