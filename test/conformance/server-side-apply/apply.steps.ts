/** A request. */
export interface ApplyStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly agent?: string;
  /** For how many milliseconds to wait before, where it matters who came first: the account counts in seconds. */
  readonly pause?: number;
  /** Selects the part of the response that is compared. @default all of it */
  readonly compares?: 'owners' | 'content';
}

/** The parameters of an application besides its configuration. */
export interface ApplyOptions {
  /** @default 'm1' */
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** More of the query: `&dryRun=All`. */
  readonly query?: string;
}

/** Requests for one object. */
export class ApplySteps {
  readonly path: string;

  constructor(
    readonly collection: string,
    readonly head: { readonly apiVersion: string; readonly kind: string },
    readonly name: string,
  ) {
    this.path = `${collection}/${name}`;
  }

  apply(content: object, { manager = 'm1', force = false, subresource, query = '' }: ApplyOptions = {}): ApplyStep {
    const flags = `?fieldManager=${manager}${force ? '&force=true' : ''}${query}`;
    return this.raw(this.configuration(content), `${subresource ? `/${subresource}` : ''}${flags}`);
  }

  /** An application with a body and a query of its own. */
  raw(body: unknown, query = '?fieldManager=m1'): ApplyStep {
    return { method: 'PATCH', path: `${this.path}${query}`, body, type: 'application/apply-patch+yaml' };
  }

  merge(body: object, agent = 'agent/1.0 (linux)', subresource = ''): ApplyStep {
    return this.patch('merge', body, agent, subresource);
  }

  patch(kind: 'merge' | 'json' | 'strategic-merge', body: unknown, agent = 'agent/1.0', subresource = ''): ApplyStep {
    return { method: 'PATCH', path: `${this.path}${subresource}`, body, type: `application/${kind}-patch+json`, agent };
  }

  put(content: object, query = ''): ApplyStep {
    return { method: 'PUT', path: `${this.path}${query}`, body: this.configuration(content), agent: 'putter' };
  }

  post(content: object, query = ''): ApplyStep {
    return { method: 'POST', path: `${this.collection}${query}`, body: this.configuration(content) };
  }

  get(): ApplyStep {
    return { method: 'GET', path: this.path };
  }

  configuration(content: object): object {
    const { metadata, ...rest } = content as { metadata?: object };
    return { ...this.head, metadata: { name: this.name, ...metadata }, ...rest };
  }
}
