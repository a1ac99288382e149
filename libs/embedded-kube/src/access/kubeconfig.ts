/** How a client finds and enters the server. */
export interface KubeconfigOptions {
  readonly url: string;
  readonly token: string;
  /** In PEM; absent where there is no HTTPS. */
  readonly caCertificate?: string;
}

/** A kubeconfig file with one cluster, one administrator and one context, all named `embedded-kube`. */
export function kubeconfigText({ url, token, caCertificate }: KubeconfigOptions): string {
  const authority = Buffer.from(caCertificate ?? '').toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: embedded-kube',
    'clusters:',
    '  - name: embedded-kube',
    '    cluster:',
    `      server: ${url}`,
    ...(authority ? [`      certificate-authority-data: ${authority}`] : []),
    'users:',
    '  - name: embedded-kube',
    '    user:',
    `      token: ${token}`,
    'contexts:',
    '  - name: embedded-kube',
    '    context:',
    '      cluster: embedded-kube',
    '      user: embedded-kube',
    '',
  ].join('\n');
}
