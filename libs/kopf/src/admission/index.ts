/**
 * Webhooks: the servers, their certificates and tunnels; the reviews that the API server asks for.
 *
 * @module nestjs-kopf/webhooks
 */

export { CertificateError, type CertificateSource, type ServerCertificate } from './certificates/server.certificate.js';
export type { SecretCertificatesOptions } from './certificates/secret.certificates.js';
export {
  WebhookAutoServer,
  WebhookDockerDesktopServer,
  WebhookK3dServer,
  WebhookMinikubeServer,
} from './servers/webhook-local.servers.js';
export {
  WebhookAutoTunnel,
  WebhookNgrokTunnel,
  type WebhookNgrokTunnelOptions,
  type Ngrok,
  type NgrokListener,
} from './servers/webhook.tunnels.js';
export type { ListeningOptions, VerifyMode, WebhookServerOptions } from './servers/webhook-server.options.js';
export { WebhookServer } from './servers/webhook.server.js';
export type {
  AdmissionCall,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionReview,
  AdmissionReviewAnswer,
  AdmissionReviewer,
  ClientCertificate,
  MatchCondition,
  ReviewedKind,
  ReviewedResource,
} from '../contexts/admission.interface.js';
export type { ConversionReview, ConversionReviewAnswer } from '../contexts/conversion.interface.js';
export type {
  AdmissionApi,
  AdmissionServer,
  AdmissionServerDescription,
  AdmissionServerContext,
  ClusterCertificate,
  ClusterFacts,
} from './servers/admission-server.interface.js';
export type { WebhookClientConfig, WebhookServiceReference } from './configuration/webhooks.js';
