/**
 * Tests of operators: one handler, or a whole application with an API server in the process; virtual time, records, and matchers.
 *
 * @module nestjs-kopf/testing
 */

export { SeededRandom } from 'kube-common';
export { VirtualClock } from './time/virtual.clock.js';
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
} from './contexts/test.contexts.js';
export { callHandler, type ContextRecords, type Recorded } from './contexts/context.bench.js';
export { EventRecorder, type RecordedEvent } from './records/event.recorder.js';
export { LogRecorder, type LogLine } from './records/log.recorder.js';
export {
  kopfMatchers,
  type ExpectedCondition,
  type ExpectedEvent,
  type KopfMatchers,
  type MatcherResult,
} from './checks/kopf.matchers.js';
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
} from './contexts/test-context.options.js';
export { KopfTest } from './kopf-test.js';
export { expectRoundTrips, type RoundTripOptions, type RoundTrips } from './checks/round-trips.js';
export type { FieldValues } from './checks/schema.values.js';
export type { KopfTestOptions, WaitOptions } from './kopf-test.options.js';
export type { CallOutcome, CallRecorder, RecordedCall } from './records/call.recorder.js';
export {
  respondWith,
  type RecordedRequest,
  type RequestInterceptor,
  type RequestRecorder,
} from './records/request.recorder.js';
export type {
  EmbeddedServer,
  FaultedRequests,
  OrderedFault,
  RejectionAnswer,
  ServerFaults,
} from './server/embedded.server.js';
export type { ObjectReference } from './server/test.client.js';
export type { TestManifest, TestManifestObject } from './server/test-manifests.js';
export { KillableProcess } from './application/killable.process.js';
export type { OperatorRecords } from './application/observed.providers.js';
export type { Replacement } from './application/provider.wiring.js';
export { compileApplication, type TestEnvironment } from './application/test.application.js';
export { SchemaValues } from './checks/schema.values.js';
export { describeObject } from './checks/unhandled.object.js';
export { ActivityTracker } from './records/activity.tracker.js';
export { CycleRecorder } from './records/cycle.recorder.js';
export { readManifestFiles, readManifests } from './server/test-manifests.js';
export { TestClient } from './server/test.client.js';
export {
  connectRealServer,
  importEmbeddedKube,
  startEmbeddedServer,
  type EmbeddedKubePackage,
  type TestServer,
} from './server/test.server.js';
export { TestWebhooks, type WebhookRequest } from './server/test.webhooks.js';
export { neverSettled } from './time/unsettled.promise.js';
