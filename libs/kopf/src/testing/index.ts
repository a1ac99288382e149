/**
 * Tests of operators: one handler, or a whole application with an API server in the process; virtual time, records, and matchers.
 *
 * @module nestjs-kopf/testing
 */

export { SeededRandom } from 'kube-common';
export { VirtualClock } from './virtual.clock.js';
export {
  activityContext,
  admissionContext,
  changeContext,
  daemonContext,
  eventContext,
  indexContext,
  loginContext,
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
  LoginContextOptions,
  TestContextOptions,
  TestInvocationOptions,
  TestObjectOptions,
} from './test-context.options.js';
export { KopfTest } from './kopf-test.js';
export { expectRoundTrips, type RoundTripOptions, type RoundTrips } from './round-trips.js';
export type { FieldValues } from './schema.values.js';
export type { KopfTestOptions, WaitOptions } from './kopf-test.options.js';
export type { CallOutcome, CallRecorder, RecordedCall } from './call.recorder.js';
export {
  respondWith,
  type RecordedRequest,
  type RequestInterceptor,
  type RequestRecorder,
} from './request.recorder.js';
export type {
  EmbeddedServer,
  FaultedRequests,
  OrderedFault,
  RejectionAnswer,
  ServerFaults,
} from './embedded.server.js';
export type { ObjectReference } from './test.client.js';
export type { TestManifest, TestManifestObject } from './test-manifests.js';
