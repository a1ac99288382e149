import { Injectable } from '@nestjs/common';
import { KopfAdmission } from '../admission/kopf.admission.js';
import { IndexFreshness } from '../indexing/index.freshness.js';
import { KopfRegistry } from '../registry/kopf.registry.js';
import type { PartReport } from './health.report.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The health of what some kinds of handlers need, if there are any such handlers: indices, and the answering of reviews. */
@Injectable()
export class HandlerHealth {
  constructor(
    @InjectOwn(KopfRegistry) private readonly registry: KopfRegistry,
    @InjectOwn(KopfAdmission) private readonly admission: KopfAdmission,
    @InjectOwn(IndexFreshness) private readonly freshness: IndexFreshness,
  ) {}

  /**
   * Evaluates the parts that there are.
   *
   * @param isWorking whether the operator has started: it is ready only after its indices; while it pauses, they are as they were.
   */
  evaluate(isWorking: boolean): Readonly<Record<string, PartReport>> {
    const handlers = this.registry.describe();
    const names = handlers.flatMap(({ kind, id }) => (kind === 'index' ? [id] : []));
    const isAdmitting = handlers.some(({ kind }) => kind === 'validate' || kind === 'mutate');
    return {
      ...(names.length > 0 && { indices: { status: isWorking ? 'up' : 'down', names } }),
      ...(isAdmitting && { admission: this.evaluateAdmission(names.length > 0) }),
    };
  }

  /** A replica on standby answers reviews, too: all of them, or those that need nothing that it does not have. */
  private evaluateAdmission(isIndexed: boolean): PartReport {
    const { isServing, reviewing } = this.admission;
    if (!isServing) return { status: 'down', message: 'Reviews are not answered yet, or not any more.' };
    const [missing] = isIndexed ? this.freshness.findAllMissing() : [];
    if (missing === undefined) return { status: 'up', reviewing };
    return { status: 'degraded', reviewing, message: `Reviews that read indices are rejected: ${missing}.` };
  }
}
