import { parseJson, stringifyJson, type KubeObject, type KubeTransport } from 'nestjs-kopf';

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface DiscoveredGroup {
  readonly metadata: { readonly name: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly { readonly resource: string }[];
  }[];
}

/** An answer of the API server that is not the expected one. */
export class UnexpectedStatusError extends Error {
  constructor(
    readonly status: number,
    request: string,
    text: string,
  ) {
    super(`${request}: ${status} ${text}`);
  }
}

/** A user of the cluster beside the operator, who makes requests by paths, without retries. */
export class ClusterUser {
  constructor(private readonly transport: KubeTransport) {}

  create(path: string, body: object): Promise<KubeObject> {
    return this.send('POST', path, body) as Promise<KubeObject>;
  }

  /** Merges the patch into the object. */
  patch(path: string, patch: object): Promise<KubeObject> {
    return this.send('PATCH', path, patch, 'application/merge-patch+json') as Promise<KubeObject>;
  }

  /** Applies the object on the server. */
  apply(path: string, body: object): Promise<KubeObject> {
    return this.send('PATCH', path, body, 'application/apply-patch+yaml') as Promise<KubeObject>;
  }

  /** Deletes the object; does nothing if there is none. */
  async delete(path: string): Promise<void> {
    await this.orNothing(this.send('DELETE', path));
  }

  /** `undefined` if there is no such object. */
  get<T extends KubeObject = KubeObject>(path: string): Promise<T | undefined> {
    return this.orNothing(this.send('GET', path)) as Promise<T | undefined>;
  }

  /** The names in the plural of the custom resources that clients can find out, as `group/version/plural`. */
  async discover(): Promise<readonly string[]> {
    const response = await this.transport.request({ method: 'GET', path: '/apis', headers: { accept: DISCOVERY } });
    const { items } = JSON.parse(await response.text()) as { items: readonly DiscoveredGroup[] };
    return items.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(({ resource }) => `${metadata.name}/${version}/${resource}`),
      ),
    );
  }

  async list(path: string): Promise<readonly KubeObject[]> {
    const { items } = (await this.send('GET', path)) as { items: readonly KubeObject[] };
    return items;
  }

  /** Reads what is no JSON. */
  async text(path: string): Promise<string> {
    const response = await this.transport.request({ method: 'GET', path, headers: { accept: 'text/plain' } });
    const text = await response.text();
    if (response.status >= 300) throw new UnexpectedStatusError(response.status, `GET ${path}`, text);
    return text;
  }

  /** Sends a text as it is, and gives the answer as it came, whatever its status is. */
  async exchange(
    method: string,
    path: string,
    body: string,
    contentType: string,
    accept = 'application/json',
  ): Promise<{ status: number; text: string; headers: Readonly<Record<string, string>> }> {
    const headers = { accept, ...(body && { 'content-type': contentType }) };
    const response = await this.transport.request({ method, path, headers, body: body || undefined });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Opens a watch, or whatever else is answered line by line; ending the iteration closes it. */
  async *lines(path: string, accept = 'application/json'): AsyncGenerator<string> {
    const response = await this.transport.request({ method: 'GET', path, headers: { accept }, streaming: true });
    let rest = '';
    for await (const chunk of response.chunks()) {
      const parts = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = parts.pop()!;
      yield* parts;
    }
    if (rest) yield rest;
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async send(method: string, path: string, body?: object, contentType = 'application/json'): Promise<unknown> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(body && { 'content-type': contentType }),
    };
    const response = await this.transport.request({ method, path, headers, body: body && stringifyJson(body) });
    const text = await response.text();
    if (response.status >= 300) throw new UnexpectedStatusError(response.status, `${method} ${path}`, text);
    return parseJson(text);
  }

  private async orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof UnexpectedStatusError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** The parts of a custom resource's definition that tests vary. */
export interface DefinitionOptions {
  /** @default 'kopf.dev' */
  readonly group?: string;
  readonly kind?: string;
  readonly plural?: string;
  /** @default none */
  readonly shortNames?: readonly string[];
  /** Whether the status is a subresource. @default false */
  readonly statusSubresource?: boolean;
  /** Whether the schema has no fields in the status, so that they are pruned. @default false */
  readonly prunedStatus?: boolean;
}

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The definition of a resource that takes any spec, any data, and any status. */
export function customResource(options: DefinitionOptions = {}) {
  const { group = 'kopf.dev', kind = 'KopfExample', plural = `${kind.toLowerCase()}s`, shortNames = [] } = options;
  const { statusSubresource = false, prunedStatus = false } = options;
  const preserved = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const properties = { spec: preserved, status: prunedStatus ? { type: 'object' } : preserved, data: preserved };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), shortNames },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...(statusSubresource && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  };
}
