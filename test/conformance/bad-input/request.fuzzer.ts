// Makes random requests, most of them bad: the same for the same seed.
import { BUILTIN_RESOURCES } from '../../../libs/embedded-kube/src/kinds/builtin-resources.data.js';
import { TypedCodec } from '../../../libs/embedded-kube/src/typed/typed.codec.js';
import type { RandomChoices } from '../../support/generators/random.choices.js';
import { mutate } from '../api/random/object.mutations.js';
import { KINDS, SAMPLES } from '../api/random/random.kinds.js';
import { randomPattern, randomPolicy, randomSchema, randomSelector, valueOf } from './expression.fuzzer.js';
import { ACCEPTS, IMPERSONATION, METHODS, PARAMETERS, PATCHES, PATH_PARTS, POLICIES, TYPES } from './request.words.js';
import { corrupt, corruptBytes, hugeText, jsonText, randomName, randomValue } from './value.fuzzer.js';

type Values = Record<string, unknown>;

/** A request; a body in protobuf has a character for each byte. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes requests one after another. What it makes later refers to what it has made before. */
export class RequestFuzzer {
  private readonly codec = new TypedCodec();
  private count = 0;
  /** The custom resources that there can be by now. */
  private readonly customs: { readonly plural: string; readonly schema: Values }[] = [];

  constructor(private readonly choices: RandomChoices) {}

  next(): FuzzedRequest {
    this.count += 1;
    const { choices } = this;
    const made = choices.weighted<FuzzedRequest>([
      [8, () => this.write()],
      [2, () => this.read()],
      [2, () => this.special()],
      [2, () => this.anyPath()],
      [2, () => this.define()],
      [3, () => this.customObject()],
      [1, () => this.policy()],
    ]);
    return choices.withProbability(0.15) ? this.withHeaders(made) : made;
  }

  private write(): FuzzedRequest {
    const { choices } = this;
    const kind = choices.pick(KINDS);
    const collection = kind.collection.replaceAll('{ns}', 'default');
    let object: Values = choices.pick(SAMPLES[kind.key]!);
    for (const _ of choices.several(0, 3, () => 0)) object = mutate(object, kind.key, choices, true);
    if (choices.withProbability(0.2)) object = { ...object, [randomName(choices)]: randomValue(choices) };
    const name = `f${choices.between(0, 5)}`;
    const metadata = { name, ...(object['metadata'] as Values | undefined) };
    const body = { apiVersion: kind.apiVersion, kind: kind.kind, ...object, metadata };
    const method = choices.pick(['POST', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE']);
    const sub = choices.withProbability(0.15) ? `/${choices.pick([...kind.subresources, 'status', 'nope'])}` : '';
    const path = `${collection}${method === 'POST' && !sub ? '' : `/${name}`}${sub}${this.query()}`;
    if (method === 'PATCH') return { method, path, ...this.patch(body) };
    return { method, path, ...this.encoded(body, kind) };
  }

  private patch(object: Values): Pick<FuzzedRequest, 'headers' | 'body'> {
    const { choices } = this;
    const type = choices.pick(PATCHES);
    const value =
      type === 'json-patch+json' ? this.jsonPatch() : choices.withProbability(0.3) ? randomValue(choices) : object;
    return { headers: { 'content-type': `application/${type}` }, body: this.text(value) };
  }

  private jsonPatch(): unknown {
    const { choices } = this;
    const pointer = (): string =>
      `/${choices.several(0, 4, () => choices.pick(['metadata', 'spec', 'labels', '0', '-', '99999999', randomName(choices)])).join('/')}`;
    return choices.several(0, choices.pick([2, 2, 200]), () => ({
      op: choices.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', '__proto__']),
      path: pointer(),
      ...(choices.withProbability(0.6) && { from: pointer() }),
      ...(choices.withProbability(0.7) && { value: randomValue(choices, 2) }),
    }));
  }

  private encoded(body: Values, kind: { apiVersion: string; kind: string }): Pick<FuzzedRequest, 'headers' | 'body'> {
    const { choices } = this;
    if (choices.withProbability(0.2)) {
      const [version, group = ''] = kind.apiVersion.split('/').reverse() as [string, string?];
      const bytes = this.protobuf(group, version, kind.kind, body);
      const text = Buffer.from(corruptBytes(bytes, choices)).toString('latin1');
      return { headers: { 'content-type': 'application/vnd.kubernetes.protobuf' }, body: text };
    }
    const headers = { 'content-type': choices.withProbability(0.7) ? 'application/json' : choices.pick(TYPES) };
    return { headers, body: this.text(body) };
  }

  private protobuf(group: string, version: string, kind: string, body: Values): Uint8Array {
    try {
      const bytes = this.codec.protobufEncoder.object({ group, version, kind }, body);
      if (bytes) return bytes;
    } catch {
      // Objects of wrong types cannot be encoded; any other bytes are as bad.
    }
    return Buffer.from(`k8s\0\n\f\n\u0002v1\u0012\u0003Pod\u0012\u0010${jsonText(body).slice(0, 50)}`, 'latin1');
  }

  private text(value: unknown): string {
    const { choices } = this;
    if (choices.withProbability(0.02)) return hugeText(choices);
    const text = jsonText(value);
    return choices.withProbability(0.2) ? corrupt(text, choices) : text;
  }

  private read(): FuzzedRequest {
    const { choices } = this;
    const kind = choices.pick(KINDS);
    const name = choices.withProbability(0.5) ? '' : `/f${choices.between(0, 5)}`;
    const method = choices.pick(['GET', 'GET', 'GET', 'DELETE', 'HEAD']);
    const path = `${kind.collection.replaceAll('{ns}', 'default')}${name}${this.query(true)}`;
    return { method, path, headers: { accept: choices.pick(ACCEPTS) } };
  }

  /** A request to any resource or subresource, the reviews among them, with any object. */
  private special(): FuzzedRequest {
    const { choices } = this;
    const { group, version, plural, kind, namespaced, subresources } = choices.pick(BUILTIN_RESOURCES);
    const root = `${group ? `/apis/${group}` : '/api'}/${version}${namespaced ? '/namespaces/default' : ''}/${plural}`;
    const sub = subresources.length > 0 ? `/f${choices.between(0, 5)}/${choices.pick(subresources).name}` : '';
    const value = choices.withProbability(0.5)
      ? { spec: randomValue(choices), metadata: randomValue(choices) }
      : {
          spec: {
            user: 'a',
            resourceAttributes: randomValue(choices),
            token: 'a.b.c',
            audiences: randomValue(choices),
          },
        };
    const body = { apiVersion: group ? `${group}/${version}` : version, kind, ...value };
    const headers = { 'content-type': 'application/json' };
    return {
      method: choices.pick(['POST', 'GET', 'PUT']),
      path: `${root}${sub}${this.query()}`,
      headers,
      body: this.text(body),
    };
  }

  private anyPath(): FuzzedRequest {
    const { choices } = this;
    const parts = choices.several(0, 7, () => choices.pick(PATH_PARTS));
    const path = `/${parts.join(choices.pick(['/', '/', '//']))}${this.query()}`;
    const headers = { accept: choices.pick(ACCEPTS), 'content-type': choices.pick(TYPES) };
    return { method: choices.pick(METHODS), path, headers, body: this.text(randomValue(choices)) };
  }

  private define(): FuzzedRequest {
    const { choices } = this;
    const plural = `things${this.count}`;
    const schema = { type: 'object', properties: { spec: randomSchema(choices) } };
    this.customs.push({ plural, schema });
    const columns = choices.several(0, 2, () => ({
      name: 'C',
      type: choices.pick(['string', 'integer', 'date']),
      jsonPath: choices.pick([
        '.spec.text',
        '.spec.list[*]',
        '.spec..a',
        '.[',
        "$.spec['a b']",
        '.spec.list[?(@.a=="b")]',
        '',
      ]),
    }));
    const scale = choices.withProbability(0.2) && {
      specReplicasPath: '.spec.count',
      statusReplicasPath: '.status.count',
    };
    const versions = [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        ...(columns.length > 0 && { additionalPrinterColumns: columns }),
        subresources: { status: {}, ...(scale && { scale }) },
      },
    ];
    const names = { plural, kind: `Thing${this.count}` };
    const body = {
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    };
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const text = choices.withProbability(0.1) ? this.text(body) : jsonText(body);
    return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: text };
  }

  private customObject(): FuzzedRequest {
    const { choices } = this;
    const custom = this.customs.length > 0 ? choices.pick(this.customs) : { plural: 'things', schema: {} };
    const spec = valueOf((custom.schema['properties'] as Values | undefined)?.['spec'] as Values, choices);
    const path = `/apis/example.com/v1/namespaces/default/${custom.plural}`;
    const body = { metadata: { name: `f${choices.between(0, 3)}` }, spec };
    const accept = choices.pick(ACCEPTS);
    if (choices.withProbability(0.2)) return { method: 'GET', path: `${path}${this.query(true)}`, headers: { accept } };
    if (choices.withProbability(0.3)) {
      return { method: 'PATCH', path: `${path}/${body.metadata.name}${this.query()}`, ...this.patch(body) };
    }
    return { method: 'POST', path, headers: { 'content-type': 'application/json', accept }, body: this.text(body) };
  }

  private policy(): FuzzedRequest {
    const [plural, object] = randomPolicy(this.choices, this.count);
    const headers = { 'content-type': 'application/json' };
    return { method: 'POST', path: `${POLICIES}/${plural}`, headers, body: this.text(object) };
  }

  private query(often = false): string {
    const { choices } = this;
    if (choices.withProbability(often ? 0.2 : 0.6)) return '';
    const parameters = choices.several(1, 3, () => {
      const name = choices.pick(PARAMETERS);
      const value = name.endsWith('Selector')
        ? randomSelector(choices)
        : choices.pick([
            '',
            'true',
            'All',
            '1',
            '-1',
            'x',
            'NaN',
            '99999999999999999999',
            '%',
            '\u0000',
            'e30',
            randomPattern(choices),
          ]);
      return `${name}=${choices.withProbability(0.95) ? encodeURIComponent(value.replaceAll(/[\ud800-\udfff]/g, '')) : value}`;
    });
    return `?${parameters.join('&')}`;
  }

  private withHeaders(request: FuzzedRequest): FuzzedRequest {
    const { choices } = this;
    const value = choices.pick([
      '',
      'a',
      'system:masters',
      'a\nb',
      'Basic eDp5',
      'Bearer',
      'Bearer a.b.c',
      'Bearer \u0000',
      'gzip;q=x',
      '1'.repeat(5000),
    ]);
    const names = [
      'authorization',
      'accept',
      'content-type',
      'accept-encoding',
      'host',
      'user-agent',
      'audit-id',
      ...IMPERSONATION,
    ];
    return { ...request, headers: { ...request.headers, [choices.pick(names)]: value } };
  }
}
