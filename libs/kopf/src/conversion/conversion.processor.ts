import { Inject, Injectable } from '@nestjs/common';
import { AdmissionError, AdmissionRequestError } from '../admission/review/admission.errors.js';
import { ReviewDeadline } from '../admission/review/review.deadline.js';
import { type Clock, errorText, isThenable } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { AdmissionCall } from '../reviews/admission.review.js';
import { ConversionHandlerContext } from '../contexts/conversion-handler.context.js';
import type { ConversionReviewAnswer } from '../reviews/conversion.review.js';
import { createObjectLogger } from '../events/object.logger.js';
import { PermanentError, TemporaryError } from '../execution/handler.errors.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../kopf.tokens.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ConversionHandler } from '../registry/handler.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { ConversionGraph } from './conversion.graph.js';
import { ConversionGraphs } from './conversion.graphs.js';
import { groupOf } from '../resources/resources.js';
import { checkConversionReview, createConversionAnswer, versionOf } from './conversion.reviews.js';
import { definitionOf } from './conversion.stanza.js';

/** The error of an object that cannot be converted; its message is for users of the API. */
class ConversionError extends Error {}

/** The processor of reviews of conversions: for each object, it calls the methods on the path from its version to the requested one. */
@Injectable()
export class ConversionProcessor {
  constructor(
    @InjectOwn(ConversionGraphs) private readonly graphs: ConversionGraphs,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Answers a review. If one object cannot be converted, the whole review fails, as the API server accepts no part of it.
   *
   * @param deadlines the deadlines of the reviews in progress, by which these can be aborted.
   * @throws AdmissionRequestError 400 if it is no review, 404 for resources without conversions, 503 if it was aborted.
   */
  async process(input: unknown, call: AdmissionCall, deadlines: Set<ReviewDeadline>): Promise<ConversionReviewAnswer> {
    const review = checkConversionReview(input);
    const { desiredAPIVersion, objects } = review.request;
    const graph = this.find(call.webhook, groupOf(desiredAPIVersion));
    const deadline = new ReviewDeadline(this.clock, this.settings.admission.timeout, call.signal, deadlines);
    try {
      const converted = await deadline.race(this.convertAll(graph, objects, desiredAPIVersion));
      return createConversionAnswer(review, converted);
    } catch (error) {
      if (!(error instanceof ConversionError) && !(error instanceof AdmissionError)) throw error;
      if (error instanceof AdmissionError) this.logger.error(`${graph.name} cannot be converted: ${error.message}`);
      return createConversionAnswer(review, error.message);
    }
  }

  /**
   * Converts one object.
   *
   * @throws Error that names the object, the versions, and the method.
   */
  async convert(graph: ConversionGraph, object: KubeObject, to: string): Promise<KubeObject> {
    const from = versionOf(object.apiVersion!);
    const path = graph.pathOf(from, to);
    if (!path) {
      const versions = graph.versions.join(', ');
      throw this.fail(object, to, new PermanentError(`no method leads from ${from} to ${to}; there are ${versions}`));
    }
    let current = object;
    for (const handler of path) {
      try {
        const next = this.step(handler, current);
        current = isThenable(next) ? await next : next;
      } catch (error) {
        throw this.fail(object, to, error, handler);
      }
    }
    return current;
  }

  private async convertAll(
    graph: ConversionGraph,
    objects: readonly KubeObject[],
    apiVersion: string,
  ): Promise<readonly KubeObject[]> {
    const to = versionOf(apiVersion);
    const converted: KubeObject[] = [];
    for (const object of objects) converted.push(await this.convert(graph, object, to));
    return converted;
  }

  private step(handler: ConversionHandler, body: KubeObject): KubeObject | Promise<KubeObject> {
    const { from, to, group, param } = handler;
    // The method may write into its argument, but the original object must not change.
    const metadata = { ...body.metadata };
    const createLogger = (): KopfLogger => createObjectLogger(this.logger, body, handler.definition);
    const context = new ConversionHandlerContext({ body, from, to, param, createLogger });
    const returned = this.invoker.invokeConversion(handler, context);
    const complete = (result: unknown): KubeObject => context.complete(result, `${group}/${to}`, metadata);
    return isThenable(returned) ? Promise.resolve(returned).then(complete) : complete(returned);
  }

  private find(webhook: string | undefined, group: string): ConversionGraph {
    const named = definitionOf(webhook);
    const all = [...this.graphs.all.values()].filter((graph) => graph.group === group);
    const found = named === undefined ? all : all.filter(({ name }) => name === named);
    if (found.length === 1) return found[0];
    const problem = found.length > 1 ? 'are conversions of several resources' : 'is no conversion';
    const place = named ?? `the group ${group}`;
    throw new AdmissionRequestError(
      `There ${problem} for ${place}; the path of the webhook is /convert/NAME-OF-CRD.`,
      404,
    );
  }

  /** Creates the error for users of the API, and logs all details of the error. */
  private fail(object: KubeObject, to: string, error: unknown, handler?: ConversionHandler): ConversionError {
    const { apiVersion, kind, metadata } = object;
    const { name = '', namespace } = metadata;
    const place = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
    const from = versionOf(apiVersion!);
    const source = handler?.source ?? 'any method';
    const reason = errorText(error);
    createObjectLogger(this.logger, object).error(
      `${place} cannot be converted from ${from} to ${to} by ${source}: ${reason}`,
      handler && error,
    );
    const isMeant = error instanceof PermanentError || error instanceof TemporaryError;
    const told = isMeant || this.settings.admission.exposeErrors ? reason : CONCEALED;
    return new ConversionError(`${place} cannot be converted from ${from} to ${to}: ${told}`, { cause: error });
  }
}

const CONCEALED = 'the method has failed with an internal error; the log of the operator says which';
