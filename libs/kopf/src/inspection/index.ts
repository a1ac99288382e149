// inspection: the one read-only interface on a running operator: what it is doing, what waits and why, what fails, and what happens.
// operator/ reads an operator of this process, from its memory and the channels of diagnostics/: the readings for metrics and health, and
// the answers for the console and applications. cluster/ reads the operators of a cluster from what they leave on objects. shapes/ has the
// types of the answers of both. explanation/ interprets the state of one object, permissions/ derives the permissions that an operator
// needs, and plans/ makes the patches that would change the progress of handlers.
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
export type * from './operator.readings.js';
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

// What the state on an object means, also without an operator that could be asked.
export type { Explanation, Finding } from './explanation/explanation.js';
export type { Exclusion, HandlerMatch } from './explanation/handler.matches.js';
export type { HandlerState, StoredProgress, StoredState } from './explanation/stored.state.js';

// What an operator needs, by its module.
export type { DescriptionOptions, ManifestSource } from './description/operator.description.js';
export type { ApplicationModule } from './description/passive.application.js';
export type { Permission, PermissionReason, RequiredPermission } from './permissions/permission.js';
