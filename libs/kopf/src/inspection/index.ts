// inspection: the one read-only interface on a running operator: what it is doing, what waits and why, what fails, and what happens. operator/ reads an operator of this process by its memory and the channels of diagnostics/; cluster/ sees the operators of a cluster
// by what they leave on the objects. shapes/ has the answers of both, explanation/ says what the state of one object means, permissions/ what
// handlers need, plans/ what would have to be written to change how far handlers have come.
// May import: everything but the leaves.

/**
 * The read-only interface on a running operator.
 *
 * @module nestjs-kopf/inspection
 */

export { KopfInspectionModule } from './kopf-inspection.module.js';
export { KopfInspector } from './kopf.inspector.js';
export { inspectOperator, type ClosableInspection, type InspectionOptions } from './operator/inspect.operator.js';
export type { InspectionHistory } from './operator/inspected.services.js';
export type {
  Awaitable,
  InspectionObserver,
  InspectionTopic,
  ObjectAddress,
  OperatorInspection,
} from './operator.inspection.js';
export type * from './inspection.types.js';
export { InspectionError } from './inspection.error.js';
export type { HandlingChange, HandlingPlan, HandlingPlanRequest, UserOperation } from './plans/handling.plan.js';
export type {
  OperatorEvent,
  OperatorEventActor,
  OperatorEventCall,
  OperatorEventChange,
  OperatorEventObject,
  OperatorEventType,
  OperatorFieldDifference,
} from './event-log/operator.event.js';
export { reviewAccess } from './cluster/access.review.js';
export { ClusterInspection } from './cluster/cluster.inspection.js';
export type { ClusterTools } from './cluster/cluster.tools.js';
export { KnownResources } from './description/known.resources.js';
export {
  describeOperator,
  type DescriptionOptions,
  type ManifestSource,
  type OperatorDescription,
} from './description/operator.description.js';
export type { ApplicationModule } from './description/passive.application.js';
export { ServedScope } from './description/served.scope.js';
export { findDifferences } from './event-log/field.differences.js';
export { explain, KOPF_FINALIZER, type Explanation, type Finding } from './explanation/explanation.js';
export { matchHandlers, type Exclusion, type HandlerMatch } from './explanation/handler.matches.js';
export {
  createReleasePatches,
  isReleased,
  planRelease,
  type Release,
  type ReleaseScope,
} from './explanation/releasing.js';
export { readStoredState, type HandlerState, type StoredProgress } from './explanation/stored.state.js';
export { parseCount, parseObjectQuery } from './objects/object.query.js';
export { DEFAULT_HISTORY, type InspectedServices } from './operator/inspected.services.js';
export { findServices } from './operator/service.tokens.js';
export { mergeReasons } from './permissions/permission.collector.js';
export {
  compareTexts,
  covers,
  describeResource,
  permissionKey,
  sortVerbs,
  type Permission,
  type PermissionReason,
  type RequiredPermission,
} from './permissions/permission.js';
export { derivePermissions, type RequiredPermissions } from './permissions/required.permissions.js';
