import type { OperatorFollowers } from '../diagnostics/operator.followers.js';
import type { Redactor } from '../resources/redactor.js';
import type { TracingSettings } from './tracing.options.js';
import type { WorkSpans } from './work.spans.js';

/** What the spans of all kinds of work are made with. */
export interface TracingContext {
  readonly spans: WorkSpans;
  readonly followers: OperatorFollowers;
  readonly settings: TracingSettings;
  readonly redactor: Redactor;
}
