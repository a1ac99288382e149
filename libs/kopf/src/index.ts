/**
 * Operators in NestJS services: the module, the decorators of handlers, what handlers get, errors, filters, and the services to inject.
 *
 * @module nestjs-kopf
 */

export { KopfModule } from './kopf.module.js';
export { KopfAdmissionModule } from './admission/controller/kopf-admission.module.js';
export type {
  KopfAdmissionAddress,
  KopfAdmissionAsyncOptions,
  KopfAdmissionControllerOptions,
  KopfAdmissionOptions,
  KopfAdmissionOptionsFactory,
} from './admission/controller/admission.options.js';
export type { KopfFeatureOptions } from './kopf-feature.module.js';
export type { KopfModuleAsyncOptions, KopfOptionsFactory } from './kopf-options.providers.js';
export type { CoordinationMode, KopfModuleOptions } from './kopf.options.js';
export type { OperatorState } from './operator/operator.state.js';

export { Daemon, Index, OnEvent, Timer } from './decorators/object.decorators.js';
export { getIndexToken, InjectIndex } from './decorators/inject-index.decorator.js';
export { ForOperator } from './decorators/for-operator.decorator.js';
export { Needs } from './decorators/needs.decorator.js';
export { getKubeApiToken, InjectKubeApi } from './decorators/inject-kube-api.decorator.js';
export { Mutate, Validate } from './decorators/admission.decorators.js';
export { Convert } from './decorators/conversion.decorators.js';
export type { EnhancerKind, GlobalEnhancers } from './discovery/enhancers.js';
export { OnCleanup, OnLogin, OnProbe, OnStartup } from './decorators/activity.decorators.js';
export { OnCreate, OnDelete, OnField, OnResume, OnUpdate } from './decorators/change.decorators.js';

export { getOperatorToken, InjectOperator } from './operator/inject-operator.decorator.js';
export { KopfOperator } from './operator/kopf.operator.js';
export { KopfRegistry } from './registry/kopf.registry.js';
export type { HandlerRegistration } from './registry/handler.registrar.js';
export type { HandlerDescription } from './registry/handler.js';
export type { PauseStatus } from './coordination/pausing/pauses.js';
export { KopfPeering } from './coordination/peering/kopf.peering.js';
export type { Peer, PeeringStatus, PeeringRank } from './coordination/peering/peers.js';
export { KopfAdmission } from './admission/kopf.admission.js';
export { KopfIndices } from './indexing/kopf.indices.js';
export { KopfWatcher } from './watching/kopf.watcher.js';
export type { UnservedResource } from './resources/resource-selector.js';
export type { WatcherStatus } from './watching/watcher.set.js';
export { KopfVault, type LoginDescription } from './client/vault/kopf.vault.js';
export { KubeClient } from './client/kube.client.js';
export type {
  KubeApplyOptions,
  KubeDeleteOptions,
  KubeListOptions,
  KubeLogOptions,
  KubeObjectOptions,
  KubePageOptions,
  KubePatchOptions,
  KubeWriteOptions,
} from './client/kube.client.options.js';
export type { KubeList } from './client/api/kube.list.js';
export type { ResourceReference } from './client/api/resource.resolver.js';
export type { KubeWatchEvent } from './client/watch/watch.event.js';
export type { FieldPath, FieldSpec } from './objects/field-path.js';
export type { NamespacePattern } from './resources/namespaces.js';
export {
  parseJson,
  stringifyJson,
  SystemClock,
  type Clock,
  type ClockTimer,
  SystemRandom,
  type Random,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
} from 'kube-common';
export type { KubeConfigLike } from './client/vault/auth-provider.credentials.js';
export type { GivenCredentials } from './client/vault/given.login.js';

export { OnError } from './decorators/on-error.decorator.js';
export { type ErrorDecision, type ErrorHandler } from './contexts/change-options.js';
export { OnChild, OnReference, References } from './decorators/reference.decorators.js';
export { OnLog } from './decorators/log.decorator.js';
export type { ContainerMessage, LogContext } from './contexts/log.interface.js';
export type { ChildContext, MissingReference, ReferenceContext, RelatedObject } from './contexts/related.interface.js';
export { conditions, type Conditions, type ConditionsContext } from './conditions/conditions.js';
export type { Condition, ConditionUpdate } from './objects/conditions.js';
export type { ApplySetOptions, ApplySetResult } from './client/apply.set.js';
export { adopt, type AdoptOptions } from './hierarchies/adopt.js';
export {
  type Dependant,
  type Dependants,
  appendOwnerReference,
  removeOwnerReference,
  type Owner,
  type OwnerReferenceOptions,
} from './hierarchies/owner-references.js';
export { label, type LabelOptions } from './hierarchies/labels.js';
export { adjustNamespace, harmonizeNaming, type HarmonizeOptions, type NamingOptions } from './hierarchies/naming.js';
export { event, exception, info, warn, type EventSubjects } from './events/events.js';
/** The lifecycles that the package has, for the option `lifecycle`. */
export * as lifecycles from './execution/lifecycles.js';
export { allOf, anyOf, noneOf, not, type FilterCallback, FilterError } from './registry/filters.js';

export { EVERYTHING } from './resources/resource-criteria.js';
export type { RedactedFields } from './resources/redactor.js';
export { ABSENT, PRESENT } from './contexts/filter-options.js';
export { Reason } from './contexts/reason.js';
export { StopReason, type StopFlag } from './contexts/stop-flag.js';
export { KOPF_CLOCK, KOPF_CONTEXT, KOPF_LOGGER, KOPF_RANDOM, type OperatorService } from './kopf.tokens.js';
export { KOPF_CONTEXT_TYPE } from './discovery/handler-context.creator.js';

export { AdmissionError, AdmissionRequestError } from './admission/review/admission.errors.js';
export { ActivityError } from './activities/activity.error.js';
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
  type ApiErrorOptions,
  type StatusDetails,
  type StatusPayload,
} from './client/api/api.errors.js';
export { KopfBootstrapError, KopfError, KopfOptionsError } from './common/kopf.errors.js';
export {
  HandlerRetriesError,
  HandlerTimeoutError,
  LeadershipLostError,
  PermanentError,
  TemporaryError,
} from './execution/handler.errors.js';
export { CredentialsError, LoginError, type ConnectionInfo } from './client/vault/connection-info.js';
export { OperatorStoppedError } from './operator/operator-stopped.error.js';
export { UnknownIndexError } from './indexing/unknown-index.error.js';

export { KopfSettings, type SettingsOptions } from './settings/kopf.settings.js';
export type { SelectorKey, SelectorsByResource } from './resources/selectors-by-resource.js';
export type { AdmissionSettings } from './settings/admission.settings.js';
export type { NetworkingSettings, WatchingSettings } from './settings/client.settings.js';
export type { LeaseSettings, PeeringSettings } from './settings/coordination.settings.js';
export type {
  BackgroundSettings,
  DeletionSettings,
  ExecutionSettings,
  PatchingSettings,
  PersistenceSettings,
  QueueingSettings,
} from './settings/handling.settings.js';
export type { LogsSettings } from './settings/logs.settings.js';
export type { LoggingSettings } from './settings/logging.settings.js';
export type { RedactionSettings } from './settings/redaction.settings.js';
export type { PostingSettings, ProcessSettings, ScanningSettings } from './settings/operator.settings.js';

export type { AdmissionOperation, UserInfo } from './reviews/admission.review.js';
export type { ConversionContext, ConversionContextOf, ConvertedObject } from './contexts/conversion.interface.js';
export type {
  ActivityContext,
  AdmissionContext,
  AnyHandlerContext,
  BodyContext,
  ChangeContext,
  DaemonContext,
  EventContext,
  FieldContext,
  IndexContext,
  InvocationContext,
  LoginContext,
  TimerContext,
} from './contexts/contexts.interface.js';
export type {
  AdmissionFilterContext,
  ChangeFilterContext,
  ObjectContext,
} from './contexts/filter-contexts.interface.js';
export type { ObjectDiff, DiffItem, DiffOperation, DiffValue } from './objects/diffs.js';
export type { EventDetails, ExceptionDetails, ObjectEvents } from './contexts/object-events.js';
// All of it, as users declare their indices in the interface of the package: TypeScript does not merge exports by name.
export type * from './contexts/indices.interface.js';
export type {
  KubeObject,
  ObjectMeta,
  OwnerReference,
  PresentMeta,
  WatchEvent,
  WatchEventType,
} from './objects/kube-object.js';
export type { ObjectSelectorOptions as ObjectSelection } from './resources/object-selector.js';
export type { LabelExpression, LabelExpressions } from './resources/label-requirements.js';
export type { KubeApiClass } from './client/api/typed.api.factory.js';
export type { Lifecycle, LifecycleContext, LifecycleHandler } from './execution/lifecycle.interface.js';
export type { KopfLogger } from './common/kopf.logger.js';
export type { Patch, PatchFields, PatchMetadata, PatchValue } from './objects/patches.js';
export type { PatchTransformation } from './objects/patch-content.js';
export type { Essence, EssenceOf, TypedEssence } from './objects/essences.js';
export type { ObjectClass, SpecOf, StatusOf } from './resources/object-class.js';
export type { Resource } from './resources/resources.js';
export type { SubhandlerFunction, SubhandlerSet } from './contexts/contexts.interface.js';
export type { SubhandlerOptions } from './contexts/change-options.js';
export type { WatchState, WatchStatus } from './client/watch/watch.reporter.js';
