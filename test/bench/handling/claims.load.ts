import type { EmbeddedKube } from 'embedded-kube';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CLAIMS = '/apis/kopf.dev/v1/namespaces/default/ephemeralvolumeclaims';
const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ephemeralvolumeclaims.kopf.dev' },
  spec: {
    group: 'kopf.dev',
    scope: 'Namespaced',
    names: { plural: 'ephemeralvolumeclaims', singular: 'ephemeralvolumeclaim', kind: 'EphemeralVolumeClaim' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } } },
      },
    ],
  },
};

/** The number of requests that the user of the cluster makes at the same time. */
const CONCURRENCY = 8;

interface Line {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> } };
}

/** Claims that a user creates, changes, and deletes, and the view of what the operator has done with them. */
export class ClaimsLoad {
  /** The size of each claim that was handled last, by name. */
  private readonly handled = new Map<string, string>();
  private readonly transport;

  constructor(
    kube: EmbeddedKube,
    private readonly count: number,
  ) {
    this.transport = kube.transport();
  }

  /** Creates the definition of claims, and begins to follow what is done with them. */
  async prepare(): Promise<void> {
    await this.send('POST', DEFINITIONS, DEFINITION);
    for (let tries = 0; tries < 100 && (await this.status(CLAIMS)) !== 200; tries += 1) await pause();
    // The stop of the server ends it.
    this.follow().catch(() => undefined);
  }

  create(): Promise<void> {
    return this.each((name) =>
      this.send('POST', CLAIMS, {
        apiVersion: 'kopf.dev/v1',
        kind: 'EphemeralVolumeClaim',
        metadata: { name },
        spec: { size: '1G' },
      }),
    );
  }

  resize(size: string): Promise<void> {
    return this.each((name) => this.send('PATCH', `${CLAIMS}/${name}`, { spec: { size } }));
  }

  delete(): Promise<void> {
    return this.each((name) => this.send('DELETE', `${CLAIMS}/${name}`));
  }

  /** Waits until any claim is handled. */
  async begun(): Promise<void> {
    while (this.handled.size === 0) await pause();
  }

  /** Waits until all claims are handled with this size; without a size, until they are gone. */
  async settled(size?: string): Promise<void> {
    for (;;) {
      const sizes = [...this.handled.values()];
      if (size ? sizes.filter((one) => one === size).length === this.count : sizes.length === 0) return;
      await pause();
    }
  }

  private async follow(): Promise<void> {
    const request = { method: 'GET', path: `${CLAIMS}?watch=true&resourceVersion=0`, headers: {} };
    let rest = '';
    for await (const chunk of (await this.transport.request(request)).chunks()) {
      const lines = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.note(JSON.parse(line) as Line);
    }
  }

  private note({ type, object }: Line): void {
    const { name, annotations } = object.metadata;
    const essence = annotations?.[LAST_HANDLED];
    if (type === 'DELETED') this.handled.delete(name);
    else if (essence) this.handled.set(name, (JSON.parse(essence) as { spec: { size: string } }).spec.size);
  }

  private async each(work: (name: string) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < this.count) await work(`claim-${next++}`);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  private async send(method: string, path: string, body?: object): Promise<void> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const request = { method, path, headers: { 'content-type': type }, body: body && JSON.stringify(body) };
    const response = await this.transport.request(request);
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }

  private async status(path: string): Promise<number> {
    return (await this.transport.request({ method: 'GET', path, headers: {} })).status;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
