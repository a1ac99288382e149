import { mapping } from '../../common/json.values.js';
import type { FieldError } from '../../errors/field.error.js';
import { invalid, methodNotAllowed, notAcceptable } from '../../errors/status.errors.js';
import { decodeObject } from '../../machinery/object.decoder.js';
import type { Draft } from '../../resources/kube-object.js';
import type { ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import { negotiate } from '../media.negotiation.js';
import type { ObjectPresenter } from '../object.presenter.js';
import type { ResourceRequest } from '../resource.handler.js';
import { creationOptions, type SubresourceAdmission } from './subresource.admission.js';

const FORMS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The way of a review: it is created, answered at once, and not stored. */
export class ReviewExchange {
  constructor(
    private readonly bodies: BodyParser,
    private readonly presenter: ObjectPresenter,
    private readonly admission: SubresourceAdmission,
  ) {}

  /**
   * Reads a review and has it admitted.
   *
   * @param validate checks the review
   * @throws StatusError 405 for other verbs, 406 for tables, 422
   */
  async read(request: ResourceRequest, validate?: (review: Draft) => readonly FieldError[]): Promise<Draft> {
    const { info, served } = request;
    if (info.verb !== 'create') throw methodNotAllowed();
    if (negotiate(request.request.headers['accept']).form !== 'object') throw notAcceptable(FORMS);
    this.bodies.assertObjectType(request.request);
    const options = creationOptions(request);
    const body = this.bodies.object(request.request, served);
    const review = decodeObject(served, body, 'body', options);
    const errors = validate?.(review) ?? [];
    // The real server does not name the kind either.
    if (errors.length > 0) throw invalid({ group: served.resource.group, name: '' }, '', errors);
    // Only the server sets the status; admission sees an empty one.
    return this.admission.create(request, served.strategy.encode({ ...review, status: {} }), options);
  }

  /** @param review with its status */
  answer({ request, served }: ResourceRequest, review: object): ApiResponse {
    const { kind, apiVersion, metadata, ...content } = served.strategy.encode({
      metadata: {},
      ...review,
      kind: served.resource.kind,
      apiVersion: served.apiVersion,
    });
    const answer = { kind, apiVersion, metadata: mapping(metadata), ...content };
    return this.presenter.encode(answer, negotiate(request.headers['accept']), 201);
  }
}
