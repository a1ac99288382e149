import type { KubeObject } from 'nestjs-kopf';
import {
  WebhookAutoServer,
  WebhookAutoTunnel,
  WebhookDockerDesktopServer,
  WebhookK3dServer,
  WebhookMinikubeServer,
  WebhookNgrokTunnel,
} from 'nestjs-kopf/webhooks';
import {
  CONFIGURATION_GROUP,
  CONFIGURATION_KINDS,
  type OperatorDescription,
  serviceNames,
  toBase64,
} from 'nestjs-kopf/tooling';
import type { GeneratedObject } from '../output/yaml.format.js';
import type { OperatorPlace } from '../rbac/rbac.manifests.js';
import { isUnmanaged, type OperatorWebhooks } from './operator.webhooks.js';
import type { WebhookOptions } from './webhook.options.js';

/** The objects that webhooks need, and warnings about what could not be known. */
export interface WebhookManifests {
  readonly objects: readonly GeneratedObject[];
  readonly warnings: readonly string[];
}

const CERT_MANAGER = 'cert-manager.io';

/** Makes the configurations of webhooks that the operator does not manage itself, with what makes their certificate. */
export function createWebhookManifests(
  webhooks: OperatorWebhooks | undefined,
  operator: OperatorDescription,
  place: OperatorPlace,
  { caBundle: given, certManager = false }: WebhookOptions = {},
): WebhookManifests {
  const server = findDevelopmentServer(operator);
  if (server !== undefined) return { objects: [], warnings: [describeDevelopmentServer(server)] };
  if (!webhooks) return { objects: [], warnings: isUnmanaged(operator) ? [NO_SERVICE] : [] };
  const authority = given ?? operator.server?.caBundle;
  const caBundle = authority === undefined ? undefined : toBase64(authority);
  const { address } = webhooks;
  const certificate = `${place.name}-webhooks`;
  const annotations = { [`${CERT_MANAGER}/inject-ca-from`]: `${address.namespace}/${certificate}` };
  const metadata = { name: place.name, ...(certManager && { annotations }) };
  const configurations = Object.entries(CONFIGURATION_KINDS).flatMap(([kind, resource]): readonly GeneratedObject[] => {
    const own = webhooks.ofKind(kind as 'validate' | 'mutate', certManager ? undefined : caBundle);
    const apiVersion = `${CONFIGURATION_GROUP}/v1`;
    return own.length > 0 ? [{ object: { apiVersion, kind: resource.kind, metadata, webhooks: own } }] : [];
  });
  if (!certManager) {
    return { objects: configurations, warnings: caBundle === undefined ? [NO_AUTHORITY] : [] };
  }
  const secretName = operator.server?.secret?.name ?? certificate;
  const dnsNames = serviceNames(address.name, address.namespace).slice(0, 2);
  return {
    objects: [...createCertificate({ name: certificate, secretName, dnsNames, address }), ...configurations],
    warnings: [],
  };
}

/** The servers by which the API server reaches a developer's machine. */
const DEVELOPMENT_SERVERS = [
  WebhookAutoServer,
  WebhookAutoTunnel,
  WebhookDockerDesktopServer,
  WebhookK3dServer,
  WebhookMinikubeServer,
  WebhookNgrokTunnel,
];

/** Finds the name of the server that webhooks have, if it is one for development, and there are any webhooks. */
function findDevelopmentServer({ handlers, settings }: OperatorDescription): string | undefined {
  const { server } = settings.admission;
  if (handlers.allAdmission().length + handlers.allConversions().length === 0) return undefined;
  return DEVELOPMENT_SERVERS.find((type) => server instanceof type)?.name;
}

function describeDevelopmentServer(name: string): string {
  return (
    `The webhooks are served by ${name}, which is for development: no API server reaches it in a pod, so that there is no port, Service, or Secret ` +
    'for it. Where process.env.KUBERNETES_SERVICE_HOST is set, give admission.server a WebhookServer with the options port, service, and secret'
  );
}

const NO_SERVICE =
  'The webhooks have no configurations, as it is not known how the API server reaches them: ' +
  'give the server of webhooks, or KopfAdmissionModule, the option service, or let the operator manage them by admission.managed';

const NO_AUTHORITY =
  'The API server will not trust the webhooks, as their configurations have no caBundle: ' +
  'give the option webhooks.caBundle or webhooks.certManager, or let the operator manage them by admission.managed';

interface CertificateParts {
  readonly name: string;
  readonly secretName: string;
  readonly dnsNames: readonly string[];
  readonly address: { readonly namespace: string };
}

/** Makes the certificate of cert-manager, which signs itself, as only the API server has to trust it. */
function createCertificate({ name, secretName, dnsNames, address }: CertificateParts): readonly GeneratedObject[] {
  const metadata = { name, namespace: address.namespace };
  const apiVersion = `${CERT_MANAGER}/v1`;
  const issuer: KubeObject = { apiVersion, kind: 'Issuer', metadata, spec: { selfSigned: {} } };
  const spec = { secretName, dnsNames, issuerRef: { kind: 'Issuer', name } };
  const certificate: KubeObject = { apiVersion, kind: 'Certificate', metadata, spec };
  return [{ object: issuer, comment: 'For cert-manager, which has to be there before.' }, { object: certificate }];
}
