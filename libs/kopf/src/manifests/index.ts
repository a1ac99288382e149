/**
 * Manifests of an operator, generated from its module, and verified.
 *
 * @module nestjs-kopf/manifests
 */

export {
  generateManifests,
  type GeneratedManifests,
  type ManifestFormat,
  type ManifestOptions,
} from './generate.manifests.js';
export type { OlmOptions } from './bundles/olm.bundle.js';
export type { WebhookOptions } from './webhooks/webhook.options.js';
export type { WorkloadOptions } from './workload/workload.options.js';
export type { DescriptionOptions, ManifestSource } from '../inspection/description/operator.description.js';
export type { ApplicationModule } from '../inspection/description/passive.application.js';
export type { Permission, RequiredPermission } from '../inspection/permissions/permission.js';
export type { PermissionReason } from '../inspection/permissions/permission.js';
export type { OperatorPlace } from './rbac/rbac.manifests.js';
export { readGrants, type AccountGrants, type GrantedPermission } from './verify/granted.permissions.js';
export { learnPermissions, type ObservedPermissions, type ObservedRequest } from './verify/used.permissions.js';
export {
  verifyPermissions,
  type FindingKind,
  type VerificationFinding,
  type VerifiedPermissions,
} from './verify/verification.js';
export { ManifestFolder, type FileOutcome } from './output/manifest.folder.js';
export { reviewGrants, type ReviewApi } from './verify/reviewed.permissions.js';
