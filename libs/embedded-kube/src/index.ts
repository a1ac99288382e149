/**
 * A Kubernetes API server in the process, for tests and demos.
 *
 * @module embedded-kube
 */

export { EmbeddedKube } from './embedded-kube.js';
export type { EmbeddedKubeOptions } from './embedded-kube.options.js';
export type { KubeSnapshot } from './embedded-kube.options.js';
export type { AdmissionPlugin } from './admission/admission.plugin.js';
export type { AdmissionAttributes, GroupVersionKind } from './machinery/write.admission.js';
export { InProcessWebhooks, type WebhookFunction } from './admission/webhooks/transport/in-process-webhooks.js';
export type { WebhookService, WebhookServices } from './admission/webhooks/transport/service.resolver.js';
export type {
  WebhookRequest,
  WebhookResponse,
  WebhookTransport,
} from './admission/webhooks/transport/webhook.transport.js';
export type { BuiltinControllerName, BuiltinControllerSwitches } from './controllers/builtin.controllers.js';
export { type PodSimulatorOptions, SIMULATION_ANNOTATIONS } from './controllers/nodes/pod.simulator.js';
export type { PodFailure, PodScript, SimulatedPods } from './controllers/nodes/simulated.pods.js';
export type { PodLogRequest } from './controllers/nodes/simulated.logs.js';
export type { PodMatch } from './controllers/nodes/pod.match.js';
export type { PodPort } from './controllers/nodes/simulated.processes.js';
export type { PodCommand, PodCommandResult, PodProcess } from './controllers/nodes/pod.command.js';
export {
  checkDefinition,
  type DefinitionReport,
  type DefinitionViolation,
  type EstimatedCost,
} from './definitions/definition.check.js';
export { StatusError, type StatusCause, type StatusDetails } from './errors/status.error.js';
export type {
  Fault,
  FaultLimit,
  FaultLine,
  FaultPhase,
  FaultRequest,
  Lag,
  LagOptions,
  LineDamage,
  LineMatch,
  RejectionOptions,
  RequestMatch,
  WatchDamage,
} from './faults/fault.types.js';
export { ClusterRecorder } from './recording/cluster.recorder.js';
export {
  ClusterRecording,
  type RecordedEnd,
  type RecordedEntry,
  type RecordedExchange,
  type RecordedLine,
  type RecordedStream,
} from './recording/cluster.recording.js';
export { ClusterReplay } from './recording/cluster.replay.js';
export { KubeconfigTransport } from './recording/kubeconfig.transport.js';
export { TransportProxy, type TransportProxyOptions } from './recording/transport.proxy.js';
export type { KubeHistory } from './history/kube.history.js';
export type {
  HistoryOptions,
  RecordedChange,
  RecordedChangeMatch,
  RecordedRequest,
  RecordedRequestMatch,
} from './history/recorded.types.js';
export type { KubeFaults } from './faults/kube.faults.js';
export type { ApiResource, ApiSubresource } from './resources/api-resource.js';
export type { FeatureGate, FeatureGateSettings } from './common/feature.gates.js';
export {
  type Clock,
  type ClockTimer,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
  type Random,
  SeededRandom,
} from 'kube-common';
export type {
  Controller,
  ControllerClient,
  ControllerContext,
  ControllerApplyOptions,
  ControllerDeleteOptions,
  ObjectEvent,
  ResourceId,
} from './controllers/controller.js';
export type { KubeObject, ObjectMeta, OwnerReference } from './resources/kube-object.js';
export type { Logger } from './common/logger.js';
export type { ApiUser } from './machinery/api.user.js';
export type { AccessRules, AuthorizationAttributes, Authorizer } from './machinery/authorizer.js';
