import type { OperatorSubscriptions } from '../diagnostics/operator.subscriptions.js';
import type { Redactor } from '../resources/redactor.js';
import type { TracingSettings } from './tracing.options.js';
import type { WorkSpans } from './work.spans.js';

/** The context that the spans of all kinds of work are made with. */
export interface TracingContext {
  readonly spans: WorkSpans;
  readonly subscriptions: OperatorSubscriptions;
  readonly settings: TracingSettings;
  readonly redactor: Redactor;
}
