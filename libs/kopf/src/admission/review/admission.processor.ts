import { RETRY_AFTER, ReviewNotReadyError } from '../../execution/handler.errors.js';
import { Inject, Injectable } from '@nestjs/common';
import type { BlockageMonitor } from '../../execution/blockage.monitor.js';
import { HandlerExecutor } from '../../execution/handler.executor.js';
import { HandlerInvoker } from '../../execution/handler.invoker.js';
import type { Invocation } from '../../contexts/invocation.js';
import { allAtOnce } from '../../execution/lifecycles.js';
import { ProgressState } from '../../execution/progress.state.js';
import { AdmissionError, AdmissionRequestError, concealError } from './admission.errors.js';
import { FilterError } from '../../registry/filters.js';
import type { AdmissionCall, AdmissionReview, AdmissionReviewAnswer } from '../../reviews/admission.review.js';
import { type Clock, errorText } from 'kube-common';
import { steadyTime } from '../../common/time.of-day.js';
import type { EventPoster } from '../../contexts/object-events.js';
import { InvocationScopes } from '../../execution/invocation.scope.js';
import type { IndexFreshness } from '../../indexing/index.freshness.js';
import { IndexRegistry } from '../../indexing/index.registry.js';
import { InjectOwn, KOPF_CLOCK, KOPF_LOGGER } from '../../kopf.tokens.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { type Resource, resourceKey } from '../../resources/resources.js';
import { AdmissionCause } from '../../contexts/admission.cause.js';
import { selectAdmissionHandlers } from '../../registry/handler-selection.js';
import type { AdmissionHandler } from '../../registry/handler.js';
import type { JsonPatchOperation } from '../../objects/json-patch.js';
import { ResourcePatch } from '../../objects/patches.js';
import { createObjectLogger } from '../../events/object.logger.js';
import { createAnswer, createReviewPatch } from './admission.answers.js';
import type { AdmissionResources } from '../configuration/configuration.client.js';
import type { DtoValidator } from './dto.validator.js';
import { checkReview } from './review.checks.js';
import type { Inventory } from '../../handling/inventory.js';
import { ReviewHandlers } from './review.handlers.js';
import type { ReviewMemories } from './review.memories.js';
import { ReviewReads } from './review.reads.js';
import { ReviewDeadline } from './review.deadline.js';

/** The parts of a session that reviews need. */
export interface ReviewSession {
  /** The resources of the admission handlers among those of the cluster. */
  readonly resources: AdmissionResources;
  /** The memories of the objects that the operator handles. */
  readonly inventory: Inventory;
  readonly memories: ReviewMemories;
  /** The knowledge of which indices are up to date. */
  readonly freshness: IndexFreshness;
  /** The poster of Kubernetes events. */
  readonly events: EventPoster;
  /** The monitor that finds out which call has blocked the event loop. */
  readonly monitor: BlockageMonitor;
  /** The validator of specs; absent if no handler has a DTO. */
  readonly dtos?: DtoValidator;
  /** The deadlines of the reviews in progress, by which these can be given up. */
  readonly deadlines: Set<ReviewDeadline>;
}

/** The seconds by which a review ends before the API server gives up, so that the answer still arrives. */
const MARGIN = 1;

/** A poster that drops events, as the reviewed object may never exist, and dry runs must have no side effects. */
const NO_EVENTS: EventPoster = { post: () => undefined };

/** One attempt at a review. A review is attempted again when data that its handlers have missed has arrived. */
interface ReviewAttempt {
  readonly review: AdmissionReview;
  readonly cause: AdmissionCause;
  readonly reads: ReviewReads;
  readonly session: ReviewSession;
  readonly signal: AbortSignal | undefined;
  /** The seconds that are left for the review. */
  readonly seconds: number;
}

/** The error of changes by handlers that cannot be expressed as a patch. */
class PatchError extends Error {}

/**
 * The processor of reviews of admission: for each review, it finds the handlers, calls each of them once, and makes one answer of their
 * decisions.
 */
@Injectable()
export class AdmissionProcessor {
  /** The scopes of filters, and of transformations of the patch. */
  private readonly scopes = new InvocationScopes();

  constructor(
    @Inject(ReviewHandlers) private readonly handlers: ReviewHandlers,
    @InjectOwn(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Answers a review. An error of a handler or a filter rejects the request of the user. If a handler has read data that this replica does
   * not have, such as an index that is not filled, the review is attempted from the beginning when the data has arrived, or is rejected.
   *
   * @throws AdmissionRequestError 400 for what is no review, 404 for unknown handlers and resources, 503 if it was given up, or if data is missing and its
   *   handlers let requests pass in this case.
   */
  async process(input: unknown, call: AdmissionCall, session: ReviewSession): Promise<AdmissionReviewAnswer> {
    const review = checkReview(input);
    const resource = session.resources.find(review.request.resource);
    const found = this.handlers.find(review.request, resource, call.webhook);
    const handlers = found instanceof Promise ? await found : found;
    const { clock, settings } = this;
    const { timeout = Infinity, signal } = call;
    const seconds = Math.min(settings.admission.timeout, Math.max(timeout - MARGIN, timeout / 2));
    const begun = clock.monotonic();
    let spent = 0;
    for (let waited = 0; ;) {
      const reads = new ReviewReads(session.freshness);
      const cause = this.createCause(review, resource, call, session, reads);
      const attempt = { review, cause, reads, session, signal, seconds: seconds - spent };
      const answer = await this.attempt(handlers, attempt);
      // The answer of a handler that has missed data is not used, even if the handler has caught the error.
      if (!reads.missing) return answer;
      const { change, error } = reads.missing;
      const before = (clock.monotonic() - begun) / 1000;
      const patience = Math.min(settings.admission.indexTimeout - waited, seconds - before);
      const hasChanged = change && patience > 0 && (await this.isChanged(change, patience, attempt));
      if (!hasChanged) return this.postpone(handlers, attempt, error);
      spent = (clock.monotonic() - begun) / 1000;
      waited += spent - before;
    }
  }

  private async attempt(handlers: readonly AdmissionHandler[], attempt: ReviewAttempt): Promise<AdmissionReviewAnswer> {
    const { cause, reads } = attempt;
    try {
      const selected = this.observe(attempt, () => selectAdmissionHandlers(handlers, cause));
      return await this.answer(selected, attempt);
    } catch (error) {
      const isAnswer = error instanceof AdmissionError || error instanceof FilterError || error instanceof PatchError;
      if (!isAnswer) throw error;
      if (!reads.missing) cause.logger.error(error.message, error.cause);
      return this.reject(attempt, [error]);
    }
  }

  private async answer(handlers: readonly AdmissionHandler[], attempt: ReviewAttempt): Promise<AdmissionReviewAnswer> {
    const { review, cause } = attempt;
    const errors = handlers.length > 0 ? await this.execute(handlers, attempt) : [];
    if (errors.length > 0) return this.reject(attempt, errors);
    const operations = this.observe(attempt, () => this.createPatch(review, handlers, cause));
    return createAnswer(review, { errors, warnings: cause.warnings, operations });
  }

  /** Calls filters or transformations, and records which indices they read. */
  private observe<T>({ cause, reads }: ReviewAttempt, call: () => readonly T[]): readonly T[] {
    const scope = { body: cause.body, events: NO_EVENTS, onIndexRead: reads.onIndexRead };
    return this.scopes.run(scope, call) as readonly T[];
  }

  /** Waits for the data that was missing. @returns whether it has changed in time */
  private async isChanged(
    change: Promise<unknown>,
    seconds: number,
    { session, signal }: ReviewAttempt,
  ): Promise<boolean> {
    const late = new ReviewNotReadyError('');
    const deadline = new ReviewDeadline(this.clock, seconds, signal, session.deadlines, () => late);
    try {
      await deadline.race(change);
      return true;
    } catch (error) {
      if (error !== late) throw error;
      return false;
    }
  }

  /** Rejects a review that another replica, or this one at a later time, may answer. */
  private postpone(
    handlers: readonly AdmissionHandler[],
    attempt: ReviewAttempt,
    error: ReviewNotReadyError,
  ): AdmissionReviewAnswer {
    const { cause } = attempt;
    cause.logger.warn(`A review is rejected with the code 503. ${error.message}`);
    if (handlers.every(({ ignoreFailures }) => ignoreFailures)) {
      throw new AdmissionRequestError(error.message, 503, { retryAfter: RETRY_AFTER });
    }
    return this.reject(attempt, [error]);
  }

  /** Rejects the request. The errors are in the log already. */
  private reject({ review, cause: { warnings } }: ReviewAttempt, errors: readonly Error[]): AdmissionReviewAnswer {
    const told = this.settings.admission.exposeErrors ? errors : errors.map(concealError);
    return createAnswer(review, { errors: told, warnings, operations: [] });
  }

  private createPatch(
    review: AdmissionReview,
    handlers: readonly AdmissionHandler[],
    cause: AdmissionCause,
  ): readonly JsonPatchOperation[] {
    const sources = handlers.map(({ source }) => source).join(', ');
    try {
      const operations = createReviewPatch(this.originalOf(review), cause.patch);
      if (operations.length > 0 && handlers.every(({ kind }) => kind === 'validate')) {
        cause.logger.warn(`${sources} must not patch the object: API servers refuse changes by validating webhooks.`);
      }
      return operations;
    } catch (error) {
      throw new PatchError(`The patch of ${sources} has failed: ${errorText(error)}`, { cause: error });
    }
  }

  private async execute(
    handlers: readonly AdmissionHandler[],
    { cause, reads, session, signal, seconds }: ReviewAttempt,
  ): Promise<readonly Error[]> {
    const { executor, clock } = this;
    const { monitor, deadlines } = session;
    const deadline = new ReviewDeadline(clock, seconds, signal, deadlines);
    const outcomes = await deadline.race(
      executor.executeOnce({
        handlers,
        state: new ProgressState(steadyTime(clock)).activate(handlers),
        logger: cause.logger,
        cause,
        monitor,
        lifecycle: allAtOnce,
        isReview: true,
        results: 'any',
        get signal() {
          return deadline.signal;
        },
        call: (handler, invocation) => this.call(handler, cause, invocation, session, reads),
      }),
    );
    return [...outcomes.values()].flatMap(({ error }) => (error ? [error] : []));
  }

  private call(
    handler: AdmissionHandler,
    cause: AdmissionCause,
    invocation: Invocation,
    { dtos, events }: ReviewSession,
    { onIndexRead }: ReviewReads,
  ): unknown {
    const isPosting = handler.sideEffects && !cause.dryrun;
    const scope = { body: cause.body, events: isPosting ? events : NO_EVENTS, onIndexRead };
    const { dto } = handler;
    const check = dto !== undefined && isSpecReviewed(cause) ? () => dtos?.check(dto, cause.spec) : undefined;
    return this.invoker.invokeAdmission(handler, cause, invocation, scope, check);
  }

  private createCause(
    review: AdmissionReview,
    resource: Resource,
    call: AdmissionCall,
    { memories, inventory }: ReviewSession,
    reads: ReviewReads,
  ): AdmissionCause {
    const original = this.originalOf(review);
    // The options of a CONNECT request are no object, and have no metadata.
    const body: KubeObject = original.metadata ? original : { ...original, metadata: {} };
    const { name, namespace } = review.request;
    const metadata = {
      name: body.metadata.name ?? name,
      namespace: body.metadata.namespace ?? (namespace || undefined),
    };
    // An object that does not exist yet has no memo.
    const missing = review.request.operation === 'CREATE' ? undefined : memories.findMissing(resource, body);
    const origin = {
      resource,
      body,
      patch: new ResourcePatch(),
      memory: missing ? { memo: reads.createMissingMemo(missing) } : memories.peek(inventory, body),
      indices: this.indices.all,
      logger: createObjectLogger(
        this.logger,
        { ...body, metadata: { ...metadata, uid: body.metadata.uid } },
        resourceKey(resource),
      ),
    };
    return new AdmissionCause(origin, review.request, call);
  }

  private originalOf({ request }: AdmissionReview): KubeObject {
    return (request.object ?? request.oldObject) as KubeObject;
  }
}

/**
 * Whether the spec of a review is validated. It is not for deletions, as the object could not lose its finalizers then, nor for
 * subresources, which have no spec.
 */
function isSpecReviewed({ operation, subresource, meta }: AdmissionCause): boolean {
  if (subresource !== undefined || meta.deletionTimestamp !== undefined) return false;
  return operation === 'CREATE' || operation === 'UPDATE';
}
