import { isIP } from 'node:net';
import { compileGlob } from 'nestjs-kopf/tooling';

/** The contexts that programs for clusters on the developer's machine make. */
const LOCAL_CONTEXTS = [
  'colima*',
  'docker-desktop',
  'docker-for-desktop',
  'embedded-kube',
  'k3d-*',
  'kind-*',
  'microk8s',
  'minikube',
  'orbstack',
  'rancher-desktop',
];

/** Names and addresses of this machine, and of machines that run on it. */
const LOCAL_HOST =
  /^(localhost|.*\.(internal|local)|0\.0\.0\.0|127(\.\d+){3}|::1|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2})$/;

/**
 * Whether a cluster is one for development on this machine, by both the name of the context and the address of the server: the one
 * alone can belong to any cluster, the other to a tunnel that leads to one.
 */
export function isLocalCluster(context: string, server: string): boolean {
  return matchesContext(context, LOCAL_CONTEXTS) && LOCAL_HOST.test(hostOf(server));
}

/** Whether one of the patterns is for the context. */
export function matchesContext(context: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => compileGlob(pattern).test(context));
}

function hostOf(server: string): string {
  const { hostname } = new URL(server);
  const plain = hostname.replace(/^\[|\]$/g, '');
  return isIP(plain) ? plain : plain.toLowerCase();
}
