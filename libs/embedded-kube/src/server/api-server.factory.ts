import { DiscoveryDocuments } from '../discovery/discovery.documents.js';
import type { ResourceRegistry } from '../resources/resource.registry.js';
import type { Clock } from '../common/clock.js';
import type { Logger } from '../common/logger.js';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { ObjectMachinery } from '../machinery/object.machinery.js';
import type { WatchService } from '../machinery/watch.service.js';
import { OpenApiDocuments } from '../discovery/openapi/open-api.documents.js';
import type { TypedCodec } from '../typed/typed.codec.js';
import type { ApiUser } from '../machinery/api.user.js';
import { ApiServer } from './api.server.js';
import { Authenticator } from '../access/authenticator.js';
import { AuthenticatedAuthorizer, type Authorizer } from '../access/authorizer.js';
import { BodyParser } from './body.parser.js';
import { ObjectPresenter } from './object.presenter.js';
import { PathHandler } from './path.handler.js';
import { ResourceHandler } from './resource.handler.js';
import { BindingHandler, EvictionHandler, LogHandler } from './subresources/pod.handlers.js';
import { AccessReviewHandler, SelfReviewHandler } from './subresources/review.handlers.js';
import { ScaleHandler } from './subresources/scale.handler.js';
import { SubresourceAdmission } from './subresources/subresource.admission.js';
import { TokenHandler } from './subresources/token.handler.js';
import { WatchEncoders } from './watch.encoders.js';

/** Whose requests the server's own token makes. */
export const ADMINISTRATOR: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const REVIEWS = ['selfsubjectaccessreviews', 'subjectaccessreviews', 'localsubjectaccessreviews'];

/** Lists the dependencies of the server. */
export interface ApiServerParts {
  readonly registry: ResourceRegistry;
  readonly machinery: ObjectMachinery;
  readonly watches: WatchService;
  readonly codec: TypedCodec;
  readonly identities: IdentityFactory;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The administrator's bearer token. */
  readonly token: string;
  /** Further users by their tokens. */
  readonly users?: Readonly<Record<string, ApiUser>>;
  /** @default whoever has a token may do everything */
  readonly authorizer?: Authorizer;
}

/** Puts the server together. */
export function createApiServer(parts: ApiServerParts): ApiServer {
  const { registry, machinery, watches, codec, identities, clock, logger, token } = parts;
  const users = Object.entries(parts.users ?? {}).map(([key, { name, uid, groups }]): [string, ApiUser] => [
    key,
    { name, ...(uid && { uid }), groups: [...groups, 'system:authenticated'] },
  ]);
  const authenticator = new Authenticator([[token, ADMINISTRATOR], ...users]);
  const authorizer = parts.authorizer ?? new AuthenticatedAuthorizer();
  const bodies = new BodyParser(codec.protobuf);
  const presenter = new ObjectPresenter(clock);
  const openApi = new OpenApiDocuments(() =>
    registry.groups().flatMap(({ versions }) => versions.flatMap((each) => each.resources)),
  );
  registry.subscribe(() => openApi.invalidate());
  const paths = new PathHandler(new DiscoveryDocuments(registry), openApi, presenter);
  const resources = new ResourceHandler(machinery, watches, presenter, new WatchEncoders(clock), bodies);
  const admission = new SubresourceAdmission(machinery, clock);
  return new ApiServer(registry, resources, paths, authenticator, authorizer, logger, [
    new ScaleHandler(machinery, presenter, bodies, admission),
    new EvictionHandler(machinery, presenter, bodies, admission),
    new BindingHandler(machinery, presenter, bodies, admission),
    new LogHandler(machinery),
    new TokenHandler(machinery, authenticator, identities, presenter, clock, bodies, admission),
    new SelfReviewHandler(authenticator, presenter, clock, admission),
    ...REVIEWS.map((name) => {
      return new AccessReviewHandler(
        `${name}.authorization.k8s.io`,
        authenticator,
        authorizer,
        presenter,
        bodies,
        admission,
      );
    }),
  ]);
}
