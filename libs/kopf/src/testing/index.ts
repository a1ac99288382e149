/**
 * Time and chance for tests.
 *
 * @module nestjs-kopf/testing
 */

export { SeededRandom } from '../common/random.js';
export { VirtualClock } from './virtual.clock.js';
export {
  activityContext,
  admissionContext,
  changeContext,
  daemonContext,
  eventContext,
  indexContext,
  timerContext,
  type BackgroundControls,
} from './test.contexts.js';
export { callHandler, type ContextRecords, type Recorded } from './context.bench.js';
export { EventRecorder, type RecordedEvent } from './event.recorder.js';
export { LogRecorder, type LogLine } from './log.recorder.js';
export {
  kopfMatchers,
  type ExpectedCondition,
  type ExpectedEvent,
  type KopfMatchers,
  type MatcherResult,
} from './kopf.matchers.js';
export type {
  ActivityContextOptions,
  AdmissionContextOptions,
  ChangeContextOptions,
  DaemonContextOptions,
  EventContextOptions,
  TestContextOptions,
  TestInvocationOptions,
  TestObjectOptions,
} from './test-context.options.js';
