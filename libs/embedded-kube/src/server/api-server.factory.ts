import { DiscoveryDocuments } from '../discovery/discovery.documents.js';
import type { ResourceRegistry } from '../resources/resource.registry.js';
import type { FeatureGates } from '../common/feature.gates.js';
import type { Clock } from 'kube-common';
import type { Logger } from '../common/logger.js';
import type { ObjectMachinery } from '../machinery/object.machinery.js';
import type { WatchService } from '../machinery/watch.service.js';
import { OpenApiDocuments } from '../discovery/openapi/open-api.documents.js';
import type { TypedCodec } from '../typed/typed.codec.js';
import { ApiServer } from './api.server.js';
import type { SimulatedPods } from '../controllers/nodes/simulated.pods.js';
import type { AccessControl } from '../access/access.control.js';
import { BodyParser } from './body.parser.js';
import { ObjectPresenter } from './object.presenter.js';
import { OpenApiHandler } from './open-api.handler.js';
import { PathHandler } from './path.handler.js';
import { ResourceHandler } from './resource.handler.js';
import { EvictionHandler } from './subresources/eviction.handler.js';
import { LogHandler } from './subresources/log.handler.js';
import { BindingHandler } from './subresources/pod.handlers.js';
import { ReviewExchange } from './subresources/review.exchange.js';
import {
  AccessReviewHandler,
  RulesReviewHandler,
  SelfReviewHandler,
  TokenReviewHandler,
} from './subresources/review.handlers.js';
import { ScaleHandler } from './subresources/scale.handler.js';
import { scaleKind } from './subresources/scale.kind.js';
import { SimulatedProxyHandler, SimulatedStreamHandler } from './subresources/stream.handlers.js';
import { SubresourceAdmission } from './subresources/subresource.admission.js';
import { TokenHandler } from './subresources/token.handler.js';
import { WatchEncoders } from './watch.encoders.js';

const ACCESS_REVIEWS = ['selfsubjectaccessreviews', 'subjectaccessreviews', 'localsubjectaccessreviews'] as const;

/** The dependencies of the server. */
export interface ApiServerParts {
  readonly registry: ResourceRegistry;
  readonly machinery: ObjectMachinery;
  readonly watches: WatchService;
  readonly codec: TypedCodec;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly access: AccessControl;
  readonly gates: FeatureGates;
  /** The scripts of simulated pods: what they print. */
  readonly pods: SimulatedPods;
}

/** Creates the server with its handlers. */
export function createApiServer(parts: ApiServerParts): ApiServer {
  const { registry, machinery, watches, codec, clock, logger, access } = parts;
  const { authenticator, authorizer, tokens } = access;
  const bodies = new BodyParser(codec);
  const presenter = new ObjectPresenter(clock, codec.protobufEncoder);
  const openApi = new OpenApiDocuments(() =>
    registry.groups().flatMap(({ versions }) => versions.flatMap((each) => each.resources)),
  );
  registry.subscribe(() => openApi.invalidate());
  const paths = new PathHandler(
    new DiscoveryDocuments(registry),
    new OpenApiHandler(openApi),
    presenter,
    access.signer,
  );
  const resources = new ResourceHandler(
    machinery,
    watches,
    presenter,
    new WatchEncoders(clock, codec.protobufEncoder),
    bodies,
    parts.gates,
  );
  const admission = new SubresourceAdmission(machinery, clock);
  const reviews = new ReviewExchange(bodies, presenter, admission);
  return new ApiServer(registry, resources, paths, access, logger, [
    new ScaleHandler(machinery, presenter, bodies, admission, scaleKind(codec)),
    new EvictionHandler(machinery, presenter, bodies, admission, clock),
    new BindingHandler(machinery, presenter, bodies, admission, clock),
    new LogHandler(machinery, parts.pods, clock),
    ...(['exec', 'attach', 'portforward'] as const).map(
      (each) => new SimulatedStreamHandler(each, machinery, parts.pods.processes, admission),
    ),
    ...['pods', 'services', 'nodes'].map((each) => new SimulatedProxyHandler(each, machinery, admission)),
    new TokenHandler(machinery, tokens, presenter, clock, bodies, admission),
    new TokenReviewHandler(authenticator, reviews),
    new SelfReviewHandler(reviews, clock),
    new RulesReviewHandler(authorizer, reviews),
    ...ACCESS_REVIEWS.map((kind) => new AccessReviewHandler(kind, authorizer, reviews)),
  ]);
}
