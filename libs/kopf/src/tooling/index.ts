// tooling: what tools around operators are made with, such as the command `kopf`, the console, and the simulation. Almost all names have
// their home in the folder of their concept. Tools read a running operator by inspection/, not by the services here.
// May import: everything; of the leaves, types of testing.

/**
 * What tools around operators are made with: connections without an operator, the handlers of a module, options of Nest modules, and the
 * parts of the engine that a simulation checks. Unlike those of the other entry points, these names may change with each minor version.
 *
 * @module nestjs-kopf/tooling
 */

// Connections to a cluster without an operator: transport, credentials, clients.
export { KubeApi } from '../client/api/api.client.js';
export { createApiError } from '../client/api/api.error.factory.js';
export { DiscoveryClient } from '../client/api/discovery.client.js';
export { EventsClient } from '../client/api/events.client.js';
export { ifFound } from '../client/api/object.reader.js';
export { FencedRequestError } from '../client/http/fenced-request.error.js';
export { HttpTransport } from '../client/http/http.transport.js';
export { LineSplitter } from '../client/http/line.splitter.js';
export { createDefaultLogin } from '../client/vault/default.login.js';
export { KubeConfigLogin, type KubeConfigLoginOptions } from '../client/vault/kubeconfig.login.js';
export { ServiceAccountLogin } from '../client/vault/service-account.login.js';
export { Vault, type Login } from '../client/vault/vault.js';
export { WatchSource } from '../client/watch/watch.source.js';
export { createKubeClient } from './cluster.client.js';
export { ResourcePatch } from '../objects/patches.js';
export type { JsonPatchOperation } from '../objects/json-patch.js';
export { NestLogger } from '../common/nest.logger.js';
export { SilentLogger } from '../common/kopf.logger.js';

// Resources, namespaces, and objects as handlers and settings select them.
export { isBuiltInGroup } from '../resources/built-in.groups.js';
export {
  compileGlob,
  compileNamespacePattern,
  matchNamespace,
  selectSpecificNamespaces,
} from '../resources/namespaces.js';
export { ObjectSelector, type ObjectSelectorOptions } from '../resources/object-selector.js';
export { explainName } from '../resources/object.names.js';
export { describeReason } from '../resources/resource-selector.js';
export { groupOf, isWatchable, qualifiedName, resourceApiVersion, resourceUrl } from '../resources/resources.js';
export { findUnserved, selectAllResources } from '../watching/resource.selection.js';

// Values that must not be shown.
export { redactDiff, REDACTED, SECRET_FIELDS } from '../objects/redaction.js';
export { Redactor } from '../resources/redactor.js';

// Peering, as other operators and Kopf write it.
export { personalIdentity } from '../coordination/peering/identity.js';
export { PeeringClient, selectPeeringResources, type PeeringPlace } from '../coordination/peering/peering.client.js';
export { deadlineOf, evaluatePeers, readPeers } from '../coordination/peering/peers.js';

// Modules of Nest with options and controllers, as `KopfConsoleModule`: validation as in `KopfModule`, and paths.
export { ControllerModuleRules, listSyncOptions } from '../settings/controller-module.rules.js';
export {
  checkOptions,
  findOptionViolations,
  isFlag,
  isFunction,
  isList,
  isObject,
  isText,
  must,
  Rule,
} from '../settings/option.validation.js';
export { provideOptions } from '../settings/options.providers.js';
export { excludeFromGlobalPrefix, findRoutePath, hasGuards } from '../discovery/nest.internals.js';
export { requireOperators } from '../discovery/operator.providers.js';
export { DEFAULT_OPERATOR, KOPF_OPTIONS } from '../kopf.tokens.js';

// The handlers of a module, and what runs its activities.
export { hasHandlers, type HandlerMetadata } from '../decorators/handler.metadata.js';
export { HandlerMetadataAccessor } from '../discovery/handler-metadata.accessor.js';
export { HandlerRegistry, type ResourceHandlers } from '../registry/handler.registry.js';
export { ActivityKind, type AdmissionHandler, type ChangingHandler, type Handler } from '../registry/handler.js';
export { KopfCoreModule } from '../kopf-core.module.js';
export { ActivityRunner } from '../activities/activity.runner.js';
export { LoginActivity } from '../activities/login.activity.js';
export { Probe } from '../activities/probe.js';

// Webhooks and definitions that are written on behalf of an operator.
export { CONFIGURATION_GROUP, CONFIGURATION_KINDS } from '../admission/configuration/configuration.client.js';
export { createWebhooks, type Webhook } from '../admission/configuration/webhook.configuration.js';
export { toBase64 } from '../admission/controller/host.server.js';
export { detectLocalHost } from '../admission/servers/cluster.facts.js';
export { serviceNames } from '../admission/servers/webhook.address.js';
export { createConversionStanza } from '../conversion/conversion.stanza.js';
export { DefinitionClient } from '../custom-resources/definition.client.js';
export { FIELD_CHANGES } from '../custom-resources/evolution/field.changes.js';

// The inspection of clusters, of objects by what is stored on them, and of modules that do not run.
export { reviewAccess } from '../inspection/cluster/access.review.js';
export { findStoredFailures } from '../inspection/cluster/posted.outcome.js';
export { ClusterInspection } from '../inspection/cluster/cluster.inspection.js';
export type { ClusterTools } from '../inspection/cluster/cluster.tools.js';
export { KnownResources } from '../inspection/description/known.resources.js';
export { describeOperator, type OperatorDescription } from '../inspection/description/operator.description.js';
export { ServedScope } from '../inspection/description/served.scope.js';
export { findDifferences } from '../inspection/event-log/field.differences.js';
export { explain, KOPF_FINALIZER, toDetected, type ExplainedChange } from '../inspection/explanation/explanation.js';
export { addRemedy } from '../inspection/explanation/remedies.js';
export { describeSpan } from '../inspection/objects/time.spans.js';
export { matchHandlers, selectsChanges } from '../inspection/explanation/handler.matches.js';
export { readStoredState } from '../inspection/explanation/stored.state.js';
export {
  createReleasePatches,
  isReleased,
  planRelease,
  type Release,
  type ReleaseScope,
} from '../inspection/explanation/releasing.js';
export { parseCount, parseObjectQuery } from '../inspection/objects/object.query.js';
export { findHistoryViolations, isRedaction, isTraceUrl } from '../inspection/inspection.options.js';
export { DEFAULT_HISTORY, type InspectedServices } from '../inspection/operator/inspected.services.js';
export { findServices } from '../inspection/operator/service.tokens.js';
export { mergeReasons } from '../inspection/permissions/permission.collector.js';
export {
  compareTexts,
  covers,
  describeResource,
  permissionKey,
  sortVerbs,
} from '../inspection/permissions/permission.js';
export { derivePermissions, type RequiredPermissions } from '../inspection/permissions/required.permissions.js';

// The engine, for a simulation that checks what it decides.
export type { CallObserver } from '../testing/records/call.observer.js';
export type { BackgroundRun } from '../background/background.run.js';
export { ChangingCause } from '../contexts/changing.cause.js';
export type { Invocation } from '../contexts/invocation.js';
export type { EventPoster, PostedEvent } from '../contexts/object-events.js';
export { SpawningCause, type CauseOrigin } from '../contexts/object.causes.js';
export type { Outcome } from '../execution/outcome.js';
export type { ObjectMemory } from '../handling/object.memory.js';
export { toMapKey } from '../indexing/index.keys.js';
export { IndexRegistry } from '../indexing/index.registry.js';
export { ObjectIndexing } from '../indexing/object.indexing.js';
export { diff } from '../objects/diffs.js';
export { resolveField } from '../objects/field-path.js';
export { OperatorLifecycle } from '../operator/operator.lifecycle.js';
export type { SessionEngine } from '../operator/session.engine.js';
export {
  anyPrematches,
  anyRequiresFinalizer,
  anySpawningRequiresFinalizer,
  selectSpawningHandlers,
} from '../registry/handler-selection.js';
export { compareEssences } from '../state/essence-hashes.js';
export { isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';
export { WatcherSet } from '../watching/watcher.set.js';
