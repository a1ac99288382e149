import { Inject, Injectable } from '@nestjs/common';
import { KopfAdmission } from '../admission/kopf.admission.js';
import { KopfRegistry } from '../registry/kopf.registry.js';
import type { PartReport } from './health.report.js';

/** Evaluates what some kinds of handlers need, if there are any such handlers: indices, and the answering of reviews. */
@Injectable()
export class HandlerHealth {
  constructor(
    @Inject(KopfRegistry) private readonly registry: KopfRegistry,
    @Inject(KopfAdmission) private readonly admission: KopfAdmission,
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
      ...(isAdmitting && { admission: this.evaluateAdmission() }),
    };
  }

  private evaluateAdmission(): PartReport {
    const { isServing, reviewing } = this.admission;
    if (isServing) return { status: 'up', reviewing };
    return { status: 'down', message: 'Reviews are not answered yet, or not any more.' };
  }
}
