export { KopfModule } from './kopf.module.js';
export { KopfAdmissionModule } from './admission/kopf-admission.module.js';
export type {
  KopfAdmissionAddress,
  KopfAdmissionAsyncOptions,
  KopfAdmissionControllerOptions,
  KopfAdmissionOptions,
} from './admission/admission.options.js';
export type { KopfModuleAsyncOptions, KopfOptionsFactory } from './kopf-options.providers.js';
export type { CoordinationMode, KopfModuleOptions } from './runner/operator.options.js';
export type { OperatorState } from './runner/operator.state.js';

export { Daemon } from './decorators/daemon.decorator.js';
export { Index } from './decorators/index.decorator.js';
export { InjectIndex } from './decorators/inject-index.decorator.js';
export { InjectKubeApi, kubeApiToken } from './decorators/inject-kube-api.decorator.js';
export { Mutate } from './decorators/mutate.decorator.js';
export { OnCleanup } from './decorators/on-cleanup.decorator.js';
export { OnCreate } from './decorators/on-create.decorator.js';
export { OnDelete } from './decorators/on-delete.decorator.js';
export { OnEvent } from './decorators/on-event.decorator.js';
export { OnField } from './decorators/on-field.decorator.js';
export { OnLogin } from './decorators/on-login.decorator.js';
export { OnProbe } from './decorators/on-probe.decorator.js';
export { OnResume } from './decorators/on-resume.decorator.js';
export { OnStartup } from './decorators/on-startup.decorator.js';
export { OnUpdate } from './decorators/on-update.decorator.js';
export { Timer } from './decorators/timer.decorator.js';
export { Validate } from './decorators/validate.decorator.js';

export { KopfOperator } from './runner/kopf.operator.js';
export { KopfRegistry, type HandlerDescription } from './registry/kopf.registry.js';
export type { PauseStatus } from './engines/pausing/pauses.js';
export { KopfPeering } from './engines/peering/kopf.peering.js';
export type { Peer } from './engines/peering/peer.js';
export type { PeeringStatus } from './engines/peering/peering.status.js';
export type { PeeringRank } from './engines/peering/peering.verdict.js';
export { KopfAdmission } from './engines/admission/kopf.admission.js';
export { CertificateError } from './engines/admission/certificates/certificate.error.js';
export type { SecretCertificatesOptions } from './engines/admission/certificates/secret.certificates.js';
export type { CertificateSource, ServerCertificate } from './engines/admission/certificates/server.certificate.js';
export { WebhookAutoServer } from './engines/admission/servers/webhook-auto.server.js';
export { WebhookAutoTunnel } from './engines/admission/servers/webhook-auto.tunnel.js';
export { WebhookDockerDesktopServer } from './engines/admission/servers/webhook-docker-desktop.server.js';
export { WebhookK3dServer } from './engines/admission/servers/webhook-k3d.server.js';
export { WebhookMinikubeServer } from './engines/admission/servers/webhook-minikube.server.js';
export {
  WebhookNgrokTunnel,
  type WebhookNgrokTunnelOptions,
} from './engines/admission/servers/webhook-ngrok.tunnel.js';
export type {
  ListeningOptions,
  VerifyMode,
  WebhookServerOptions,
} from './engines/admission/servers/webhook-server.options.js';
export { WebhookServer } from './engines/admission/servers/webhook.server.js';
export { KopfIndices } from './engines/indexing/kopf.indices.js';
export { KopfWatcher, type WatcherStatus } from './reactor/kopf.watcher.js';
export { KubeClient } from './client/kube.client.js';
export { parseJson, stringifyJson } from './structs/exact-json.js';
export type { GivenCredentials } from './client/vault/given.login.js';

export { adopt, type AdoptOptions } from './hierarchies/adopt.js';
export type { Dependant, Dependants } from './hierarchies/dependants.js';
export { label, type LabelOptions } from './hierarchies/labels.js';
export { adjustNamespace, harmonizeNaming, type HarmonizeOptions, type NamingOptions } from './hierarchies/naming.js';
export {
  appendOwnerReference,
  removeOwnerReference,
  type Owner,
  type OwnerReferenceOptions,
} from './hierarchies/owner-references.js';
export { event, exception, info, warn, type EventSubjects } from './engines/posting/events.js';
export { allAtOnce, asap, oneByOne, randomized, shuffled } from './execution/lifecycles.js';
export { allOf, anyOf, noneOf, not } from './utils/filter-combinators.js';

export { EVERYTHING } from './enums/everything.enum.js';
export { ABSENT, PRESENT } from './enums/filter-token.enum.js';
export { Reason } from './enums/reason.enum.js';
export { StopReason } from './enums/stop-reason.enum.js';
export { KOPF_CLOCK, KOPF_RANDOM } from './runner/kopf.tokens.js';
export { KOPF_CONTEXT_TYPE } from './discovery/handler-context.creator.js';

export { AdmissionError, AdmissionRequestError } from './errors/admission.errors.js';
export { ActivityError } from './errors/activity.error.js';
export {
  ApiClientError,
  ApiConflictError,
  ApiError,
  ApiForbiddenError,
  ApiGoneError,
  ApiNotFoundError,
  ApiRedirectError,
  ApiServerError,
  ApiTooManyRequestsError,
  ApiUnauthorizedError,
  ApiUnprocessableEntityError,
  ConnectionError,
  RequestTimeoutError,
  UnknownResourceError,
  WatchStreamError,
} from './errors/api.errors.js';
export { KopfBootstrapError } from './errors/bootstrap.error.js';
export { FilterError } from './errors/filter.error.js';
export { HandlerRetriesError, HandlerTimeoutError, PermanentError, TemporaryError } from './errors/handler.errors.js';
export { KopfError } from './errors/kopf.error.js';
export { CredentialsError, LoginError } from './errors/login.errors.js';
export { OperatorStoppedError } from './errors/operator-stopped.error.js';
export { KopfOptionsError } from './errors/options.error.js';
export { UnknownIndexError } from './errors/unknown-index.error.js';

export { AnnotationsDiffBaseStorage } from './persistence/annotations-diffbase.storage.js';
export { AnnotationsProgressStorage } from './persistence/annotations-progress.storage.js';
export { MultiDiffBaseStorage } from './persistence/multi-diffbase.storage.js';
export { MultiProgressStorage } from './persistence/multi-progress.storage.js';
export { SmartProgressStorage } from './persistence/smart-progress.storage.js';
export { StatusDiffBaseStorage } from './persistence/status-diffbase.storage.js';
export { StatusProgressStorage } from './persistence/status-progress.storage.js';

export { KopfSettings } from './settings/kopf.settings.js';
export { SystemClock } from './utils/system.clock.js';
export { SystemRandom } from './utils/system.random.js';

export type {
  AdmissionCall,
  AdmissionOperation,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionReview,
  AdmissionReviewAnswer,
  AdmissionReviewer,
  ClientCertificate,
  MatchCondition,
  ReviewedKind,
  ReviewedResource,
  UserInfo,
} from './interfaces/admission.interface.js';
export type {
  AdmissionApi,
  AdmissionServer,
  AdmissionServerContext,
  ClusterCertificate,
  ClusterFacts,
} from './interfaces/admission-server.interface.js';
export type { Clock, ClockTimer } from './interfaces/clock.interface.js';
export type { ConnectionInfo } from './interfaces/connection-info.interface.js';
export type {
  ActivityContext,
  AdmissionContext,
  AdmissionFilterContext,
  ChangeContext,
  ChangeFilterContext,
  DaemonContext,
  EventContext,
  IndexContext,
  InvocationContext,
  LoginContext,
  ObjectContext,
  TimerContext,
} from './interfaces/contexts.interface.js';
export type { Diff, DiffItem, DiffOperation } from './interfaces/diff.interface.js';
export type { EventDetails, ExceptionDetails, ObjectEvents } from './interfaces/events.interface.js';
export type { MetadataFilter, ValueCallback, ValueFilter, WhenFilter } from './interfaces/filters.interface.js';
export type {
  ActivityOptions,
  AdmissionOptions,
  CreateOptions,
  DaemonOptions,
  DeleteOptions,
  ErrorsMode,
  EventOptions,
  FieldOptions,
  IndexOptions,
  InitialDelay,
  MutateOptions,
  ResumeOptions,
  TimerOptions,
  UpdateOptions,
  ValidateOptions,
} from './interfaces/handler-options.interface.js';
export type { Indices, ReadonlyIndex, Store } from './interfaces/indices.interface.js';
export type {
  KubeObject,
  ObjectMeta,
  OwnerReference,
  WatchEvent,
  WatchEventType,
} from './interfaces/kube-object.interface.js';
export type { LabelExpression, LabelExpressions, ObjectSelection } from './interfaces/object-selection.interface.js';
export type { KubeApiClass } from './interfaces/kube-api-class.interface.js';
export type { KubeRequest, KubeResponse, KubeTransport } from './interfaces/kube-transport.interface.js';
export type { Lifecycle, LifecycleContext, LifecycleHandler } from './interfaces/lifecycle.interface.js';
export type { KopfLogger, LogLevel, LogMessage } from './interfaces/logger.interface.js';
export type { Patch, PatchMetadata, PatchTransformation } from './interfaces/patch.interface.js';
export type {
  DiffBaseStorage,
  Essence,
  HandlingPurpose,
  ProgressRecord,
  ProgressStorage,
} from './interfaces/progress.interface.js';
export type { Random } from './interfaces/random.interface.js';
export type { Resource } from './interfaces/resource.interface.js';
export { KOPF_RESOURCE, type ResourceDeclaration } from './utils/resource-declaration.js';
export type { ResourcePredicate, SelectorArgs, SelectorParts } from './interfaces/selector.interface.js';
export type { StopFlag } from './interfaces/stop-flag.interface.js';
export type { SubhandlerFunction, SubhandlerOptions, SubhandlerSet } from './interfaces/subhandlers.interface.js';
export type { WebhookClientConfig, WebhookServiceReference } from './interfaces/webhook-client-config.interface.js';
export type { WatchState, WatchStatus } from './interfaces/watch-status.interface.js';
