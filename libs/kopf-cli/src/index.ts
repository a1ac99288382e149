/**
 * Manifests of an operator, generated from its module, and verified.
 *
 * @module nestjs-kopf-cli
 */

export {
  generateManifests,
  type GeneratedManifests,
  type ManifestFormat,
  type ManifestOptions,
} from './manifests/generate.manifests.js';
export type { OlmOptions } from './manifests/bundles/olm.bundle.js';
export type { WebhookOptions } from './manifests/webhooks/webhook.options.js';
export type { WorkloadOptions } from './manifests/workload/workload.options.js';
export {
  type DescriptionOptions,
  type ManifestSource,
  type ApplicationModule,
  type Permission,
  type RequiredPermission,
  type PermissionReason,
} from 'nestjs-kopf/inspection';
export type { OperatorPlace } from './manifests/rbac/rbac.manifests.js';
export { readGrants, type AccountGrants, type GrantedPermission } from './manifests/verify/granted.permissions.js';
export {
  learnPermissions,
  type ObservedPermissions,
  type ObservedRequest,
} from './manifests/verify/used.permissions.js';
export {
  verifyPermissions,
  type FindingKind,
  type VerificationFinding,
  type VerifiedPermissions,
} from './manifests/verify/verification.js';
export { ManifestFolder, type FileOutcome, type FileState } from './manifests/output/manifest.folder.js';
export { reviewGrants, type ReviewApi } from './manifests/verify/reviewed.permissions.js';
