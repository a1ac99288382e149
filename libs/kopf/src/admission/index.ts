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
} from '../reviews/admission.review.js';
export type { ConversionReview, ConversionReviewAnswer } from '../reviews/conversion.review.js';
export type {
  AdmissionApi,
  AdmissionServer,
  AdmissionServerDescription,
  AdmissionServerContext,
  ClusterCertificate,
  ClusterFacts,
} from '../reviews/admission-server.interface.js';
export type { WebhookClientConfig, WebhookServiceReference } from '../reviews/webhook-client.config.js';
