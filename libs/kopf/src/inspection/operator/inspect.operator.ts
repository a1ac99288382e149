import type { INestApplicationContext } from '@nestjs/common';
import { DEFAULT_OPERATOR } from '../../kopf.tokens.js';
import type { RedactedFields } from '../../resources/redactor.js';
import { describeRunningOperator } from '../description/operator.description.js';
import type { RunningInspection } from '../operator.readings.js';
import { DEFAULT_HISTORY, type InspectionHistory } from './inspected.services.js';
import { RunningOperatorInspection } from './running-operator.inspection.js';
import { findServices } from './service.tokens.js';

/** The options of an inspection: the fields that are not shown, and the history for observers. */
export interface InspectionOptions {
  /** The name of the operator. @default the operator without a name */
  readonly operator?: string;
  /** Fields whose values are not shown, besides those of Secrets and of the setting `redaction.fields`. @default none */
  readonly redact?: readonly RedactedFields[];
  /** @default kept while there is an observer and for 300 seconds longer; 100 events of an object, 10,000 objects */
  readonly history?: Partial<InspectionHistory>;
  /** The address of a trace, with `{traceId}` in it: `https://tempo.example.com/trace/{traceId}`. @default no links */
  readonly traceUrl?: string;
}

/** An inspection that can be ended. */
export interface ClosableInspection extends RunningInspection {
  /** Ends all subscriptions and streams, and forgets the history. The operator is not affected. */
  close(): void;
}

/**
 * Inspects an operator of an application in this process: reads what it holds in memory, and what happens. It costs nothing without
 * observers.
 *
 * @param application the application, or a `ModuleRef` of it
 * @throws UnknownElementException of Nest if the application has no operator of this name
 *
 * @example const inspection = inspectOperator(app); const { failing } = await inspection.now();
 */
export function inspectOperator(
  application: Pick<INestApplicationContext, 'get'>,
  { operator = DEFAULT_OPERATOR, redact = [], history, traceUrl }: InspectionOptions = {},
): ClosableInspection {
  const services = findServices(application, operator);
  const describe = () => describeRunningOperator(application, operator);
  return new RunningOperatorInspection(services, {
    describe,
    redact,
    history: { ...DEFAULT_HISTORY, ...history },
    traceUrl,
  });
}
