import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The address of the server, and the credentials of a client. */
export interface KubeconfigOptions {
  readonly url: string;
  readonly token: string;
  /** In PEM; absent where there is no HTTPS. */
  readonly caCertificate?: string;
}

/** Returns a kubeconfig file with one cluster, one administrator and one context, all named `embedded-kube`. */
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

/** A kubeconfig on the disk that is meant to be there for as long as its server runs: afterwards it would lead clients nowhere. */
export class KubeconfigFile {
  private readonly path: string;

  /** @param path relative to the current folder of now, even if that changes later. */
  constructor(
    path: string,
    private readonly text: string,
  ) {
    this.path = resolve(path);
  }

  /** Writes the file, which only its owner may read. */
  write(): void {
    writeFileSync(this.path, this.text, { mode: 0o600 });
  }

  /** Removes the file, unless it has been overwritten with something else. */
  remove(): void {
    try {
      if (readFileSync(this.path, 'utf8') === this.text) rmSync(this.path);
    } catch {
      // It has gone with its folder, or cannot be touched any more: either way it is not the server's, which has to stop.
    }
  }
}
