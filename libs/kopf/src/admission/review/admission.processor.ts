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

/** Lists what reviews need of the session in which they are answered. */
export interface ReviewSession {
  /** Finds the resources that reviews are about among those of the cluster. */
  readonly resources: AdmissionResources;
  /** The memories of the objects that the operator handles. */
  readonly inventory: Inventory;
  readonly memories: ReviewMemories;
  /** Knows which indices can be relied on. */
  readonly freshness: IndexFreshness;
  /** Posts Kubernetes events. */
  readonly events: EventPoster;
  /** Is told of the calls, to know which of them has blocked the event loop. */
  readonly monitor: BlockageMonitor;
  /** Absent if no handler needs it. */
  readonly dtos?: DtoValidator;
  /** The deadlines of the reviews in progress, so that these can be given up. */
  readonly deadlines: Set<ReviewDeadline>;
}

/** Ends a review so many seconds before the API server gives up, so that the answer still arrives. */
const MARGIN = 1;

/** Drops events: the reviewed object may never exist, and dry runs must have no side effects. */
const NO_EVENTS: EventPoster = { post: () => undefined };

/** What one attempt at a review has in common: a review is attempted again once it has what it has missed. */
interface ReviewAttempt {
  readonly review: AdmissionReview;
  readonly cause: AdmissionCause;
  readonly reads: ReviewReads;
  readonly session: ReviewSession;
  readonly signal: AbortSignal | undefined;
  /** Seconds that are left for the review. */
  readonly seconds: number;
}

/** Is thrown if the changes of the object by handlers cannot be expressed as a patch. */
class PatchError extends Error {}

/** Answers reviews: finds the handlers that they are for, calls each of them once, and puts together what they say. */
@Injectable()
export class AdmissionProcessor {
  /** For what is called besides the handlers: filters, and transformations of the patch. */
  private readonly scopes = new InvocationScopes();

  constructor(
    @Inject(ReviewHandlers) private readonly handlers: ReviewHandlers,
    @Inject(HandlerExecutor) private readonly executor: HandlerExecutor,
    @Inject(HandlerInvoker) private readonly invoker: HandlerInvoker,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
  ) {}

  /**
   * Answers a review. What handlers and filters throw refuses the request of the user. A review whose handlers read what this replica does not
   * have is attempted again when it is there, from the beginning, or is rejected.
   *
   * @throws AdmissionRequestError 400 for what is no review, 404 for unknown handlers and resources, 503 if it was given up, or if it has to be
   *   rejected and its handlers let requests pass in this case.
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
      // A handler that goes on without what it has missed does not know enough.
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

  /** Calls what is no handler, but can read what handlers do. */
  private observe<T>({ cause, reads }: ReviewAttempt, call: () => readonly T[]): readonly T[] {
    const scope = { body: cause.body, events: NO_EVENTS, onIndexRead: reads.onIndexRead };
    return this.scopes.run(scope, call) as readonly T[];
  }

  /** Waits for what has been missed; returns whether it has changed in time. */
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

  /** Rejects a review that another replica may answer, or this one later. */
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

  /** The errors are in the log already. */
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
    // Options of connections have no metadata, which everything else relies on.
    const body: KubeObject = original.metadata ? original : { ...original, metadata: {} };
    const { name, namespace } = review.request;
    const metadata = {
      name: body.metadata.name ?? name,
      namespace: body.metadata.namespace ?? (namespace || undefined),
    };
    // Nobody can have written into the memo of an object that does not exist yet.
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
 * Checks whether the spec is to be validated: deletions are not, as the object could not lose its finalizers, nor are
 * subresources, which are not the spec.
 */
function isSpecReviewed({ operation, subresource, meta }: AdmissionCause): boolean {
  if (subresource !== undefined || meta.deletionTimestamp !== undefined) return false;
  return operation === 'CREATE' || operation === 'UPDATE';
}
