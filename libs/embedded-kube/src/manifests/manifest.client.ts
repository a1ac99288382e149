import { type KubeTransport, stringifyJson } from 'kube-common';
import type { Manifest } from './manifest.files.js';

/** The members of a resource in the discovery documents from which the path of its objects follows. */
interface DiscoveredResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** A client that applies objects on the server, so that objects from a data folder become as the manifests have them. */
export class ManifestClient {
  constructor(private readonly transport: KubeTransport) {}

  /** @throws Error that names the file and the object which the server does not accept */
  async apply(manifest: Manifest): Promise<void> {
    const { kind, name, object, file } = manifest;
    const path = `${await this.locate(manifest)}/${encodeURIComponent(name)}?fieldManager=embedded-kube&force=true`;
    const { status, body } = await this.send<{ message?: string }>('PATCH', path, stringifyJson(object));
    if (status >= 400) throw new Error(`the server does not accept the ${kind} ${name} of ${file}: ${body.message}`);
  }

  /** Finds the path of the collection that the object belongs to. */
  private async locate({ apiVersion, kind, namespace, file }: Manifest): Promise<string> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { body } = await this.send<{ resources?: readonly DiscoveredResource[] }>('GET', root);
    const found = body.resources?.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (!found) {
      throw new Error(
        `the server has no kind ${kind} of ${apiVersion}, which ${file} needs: is its CRD among the manifests?`,
      );
    }
    return found.namespaced ? `${root}/namespaces/${namespace ?? 'default'}/${found.name}` : `${root}/${found.name}`;
  }

  private async send<T>(method: string, path: string, body?: string): Promise<Answer<T>> {
    const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/apply-patch+yaml' }) };
    const response = await this.transport.request({ method, path, headers, ...(body && { body }) });
    const text = await response.text();
    // Paths that the server does not have are answered without JSON.
    const isJson = response.headers['content-type']?.startsWith('application/json');
    return { status: response.status, body: (isJson ? JSON.parse(text) : { message: text }) as T };
  }
}
