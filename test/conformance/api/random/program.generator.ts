// Makes random programs: some requests about one object each, the same for the same seed.
import { RandomChoices } from '../../../support/generators/random.choices.js';
import { SeededRandom } from 'kube-common';
import type { CaseStep } from '../case.reader.js';
import { mutate } from './object.mutations.js';
import { FREQUENT, KINDS, type RandomKind, SAMPLES } from './random.kinds.js';
import { NASTY_BODIES, NASTY_QUERIES, QUERIES } from './nasty.requests.js';

type Values = Record<string, unknown>;
export type RandomStep = Pick<CaseStep, 'method' | 'path' | 'headers' | 'body'>;

/** Makes one program. Its objects are named by its number, its namespace is `{ns}`. */
export function makeProgram(seed: number, index: number): RandomStep[] {
  const choices = new RandomChoices(new SeededRandom(seed * 1_000_003 + index));
  const kind = choices.pick(choices.withProbability(0.5) ? FREQUENT : KINDS);
  return new ProgramMaker(kind, `r${index}`, choices).make();
}

class ProgramMaker {
  private readonly sample: Values;

  constructor(
    private readonly kind: RandomKind,
    private readonly name: string,
    private readonly choices: RandomChoices,
  ) {
    this.sample = choices.pick(SAMPLES[kind.key]);
  }

  make(): RandomStep[] {
    const { choices } = this;
    const first = this.create();
    const others = choices.several(2, 6, () => this.next());
    const last = choices.withProbability(0.7) ? [this.remove()] : [];
    return [first, ...others, ...last];
  }

  private next(): RandomStep {
    return this.choices.weighted<RandomStep>([
      [2, () => this.request('GET', `/${this.name}${this.query('read')}`)],
      [1, () => this.list()],
      [3, () => this.update()],
      [3, () => this.mergePatch()],
      [2, () => this.jsonPatch()],
      [2, () => this.strategicPatch()],
      [2, () => this.apply()],
      [1, () => this.status()],
      [1, () => this.scale()],
      [1, () => this.create()],
      [1, () => this.odd()],
    ]);
  }

  private create(): RandomStep {
    const body = this.body();
    return this.request(
      'POST',
      this.query('write'),
      this.choices.withProbability(0.03) ? this.choices.pick(NASTY_BODIES) : body,
    );
  }

  private update(): RandomStep {
    const body = this.body();
    if (this.choices.withProbability(0.2))
      (body['metadata'] as Values)['resourceVersion'] = this.choices.pick(['1', '0', 'x', '']);
    return this.request('PUT', `/${this.name}${this.query('write')}`, body);
  }

  private mergePatch(): RandomStep {
    const { metadata, ...content } = this.body();
    const keys = Object.keys(content).filter((key) => key !== 'kind' && key !== 'apiVersion');
    const body = this.choices.withProbability(0.3)
      ? { metadata }
      : Object.fromEntries(keys.map((key) => [key, content[key]]));
    const type = this.choices.withProbability(0.05)
      ? 'application/strategic-merge-patch+json'
      : 'application/merge-patch+json';
    return this.request('PATCH', `/${this.name}${this.query('patch')}`, this.patchBody(body), type);
  }

  private strategicPatch(): RandomStep {
    const { kind: _, apiVersion: __, ...content } = this.body();
    return this.request(
      'PATCH',
      `/${this.name}${this.query('patch')}`,
      this.patchBody(content),
      'application/strategic-merge-patch+json',
    );
  }

  private jsonPatch(): RandomStep {
    const { choices } = this;
    const operations = choices.several(1, 2, () => ({
      op: choices.pick(['add', 'replace', 'remove', 'test', 'copy', 'move', 'nonsense']),
      path: choices.pick([
        '/metadata/labels/l',
        '/metadata/annotations',
        '/spec',
        '/data/k',
        '/spec/replicas',
        '/metadata/name',
        '/no/such',
        'x',
        '/metadata/labels/a~1b',
        '/spec/containers/0/image',
        '/spec/ports/-',
      ]),
      ...(choices.withProbability(0.8) && { value: choices.pick<unknown>(['v', 1, {}, null, [], true, { a: 'b' }]) }),
      ...(choices.withProbability(0.3) && { from: '/metadata/name' }),
    }));
    return this.request('PATCH', `/${this.name}${this.query('patch')}`, operations, 'application/json-patch+json');
  }

  private apply(): RandomStep {
    const { choices } = this;
    const manager = choices.pick(['m1', 'm2', '']);
    const query = `?fieldManager=${manager}${choices.pick(['', '', '&force=true', '&force=false', '&dryRun=All'])}`;
    return this.request('PATCH', `/${this.name}${query}`, this.body(), 'application/apply-patch+yaml');
  }

  private status(): RandomStep {
    const { choices } = this;
    const status = choices.pick<unknown>([
      { phase: 'X' },
      { replicas: 1 },
      {},
      null,
      1,
      { conditions: [{ type: 'A', status: 'True' }] },
      { conditions: [{}] },
    ]);
    const method = choices.pick(['GET', 'PUT', 'PATCH']);
    const body = method === 'GET' ? undefined : method === 'PUT' ? { ...this.body(), status } : { status };
    return this.request(
      method,
      `/${this.name}/status`,
      body,
      method === 'PATCH' ? 'application/merge-patch+json' : undefined,
    );
  }

  private scale(): RandomStep {
    const { choices } = this;
    const replicas = choices.pick<unknown>([0, 1, 3, -1, 'x', null, 2 ** 31]);
    const method = choices.pick(['GET', 'PUT', 'PATCH']);
    const metadata = { name: this.name, namespace: '{ns}' };
    const body =
      method === 'GET' ? undefined : method === 'PUT' ? { metadata, spec: { replicas } } : { spec: { replicas } };
    return this.request(
      method,
      `/${this.name}/scale`,
      body,
      method === 'PATCH' ? 'application/merge-patch+json' : undefined,
    );
  }

  private list(): RandomStep {
    const query = this.query('list');
    // Cluster-wide lists hold what other programs and the servers themselves have made.
    const selector = `labelSelector=program%3D${this.name}`;
    if (this.kind.namespaced || /labelSelector/.test(query)) return this.request('GET', query || `?${selector}`);
    return this.request('GET', query ? `${query}&${selector}` : `?${selector}`);
  }

  private remove(): RandomStep {
    const { choices } = this;
    const body = choices.pick<unknown>([
      undefined,
      undefined,
      undefined,
      {},
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'X' },
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: -1 },
      { preconditions: { uid: 'x' } },
      { dryRun: ['All'] },
      { orphanDependents: false, propagationPolicy: 'Orphan' },
    ]);
    return this.request(
      'DELETE',
      `/${this.name}${choices.pick(['', '', '', '?dryRun=All', '?gracePeriodSeconds=x', '?propagationPolicy=Foreground'])}`,
      body,
    );
  }

  private odd(): RandomStep {
    const { choices } = this;
    return choices.weighted<RandomStep>([
      [
        1,
        () =>
          this.request(
            choices.pick(['PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS', 'HEAD']),
            `/${this.name}/${choices.pick(['nope', 'status', 'scale', 'log', 'eviction', 'token', 'binding'])}`,
            {},
          ),
      ],
      [1, () => this.request('POST', `/${this.name}`, this.body())],
      [1, () => this.request('GET', `/${choices.pick(['No', 'a%20b', '%2F', '..%2f', '%00', 'x'.repeat(300), '-'])}`)],
      [
        1,
        () => ({
          ...this.request('GET', `/${this.name}`),
          headers: {
            accept: choices.pick([
              'text/plain',
              'application/yaml',
              'application/json;as=Table;v=v1;g=meta.k8s.io',
              'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
              '*/*',
              'x',
              'application/json;as=Table;v=v9;g=meta.k8s.io',
            ]),
          },
        }),
      ],
      [
        1,
        () =>
          this.request(
            'POST',
            '',
            this.body(),
            choices.pick(['text/plain', 'application/xml', 'application/json; charset=utf-8', 'application/yaml', 'x']),
          ),
      ],
      [
        1,
        () =>
          this.request(
            'PATCH',
            `/${this.name}`,
            {},
            choices.pick(['application/json', 'text/plain', 'application/strategic-merge-patch+json', '']),
          ),
      ],
    ]);
  }

  private patchBody(body: unknown): unknown {
    return this.choices.withProbability(0.04) ? this.choices.pick([...NASTY_BODIES, [], null, 1, 'x']) : body;
  }

  /** A variation of the sample; half of them are nasty. */
  private body(): Values {
    const { choices, kind, name } = this;
    const labels = { program: name };
    const { metadata: own, ...changed } = this.variation();
    const metadata = own as Values | undefined;
    return {
      apiVersion: choices.withProbability(0.02) ? choices.pick(['v1', 'v2', '', 'a/b/c']) : kind.apiVersion,
      kind: choices.withProbability(0.02) ? choices.pick(['Nope', '', 'Pod']) : kind.kind,
      metadata: {
        name: choices.withProbability(0.02) ? choices.pick(['', 'A', 'x'.repeat(254), 'a.b', 'a_b']) : name,
        labels,
        ...metadata,
      },
      ...changed,
    };
  }

  private variation(): Values {
    const { choices } = this;
    let body = this.sample;
    for (const _ of choices.several(0, 3, () => 0))
      body = mutate(body, this.kind.key, choices, choices.withProbability(0.5));
    return body;
  }

  private query(use: keyof typeof QUERIES): string {
    const { choices } = this;
    if (choices.withProbability(0.7)) return '';
    return `?${choices.pick(choices.withProbability(0.5) ? QUERIES[use] : NASTY_QUERIES[use])}`;
  }

  private request(method: string, rest: string, body?: unknown, type?: string): RandomStep {
    return {
      method,
      path: `${this.kind.collection}${rest}`,
      headers: type === undefined ? {} : { 'content-type': type },
      body,
    };
  }
}
