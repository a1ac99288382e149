import type { ModuleMetadata } from '@nestjs/common';
import { parseJson, SeededRandom, stringifyJson } from 'kube-common';
import { KEPT_PREFIX } from '../../contexts/conversion-handler.context.js';
import { ConversionGraphs } from '../../conversion/conversion.graphs.js';
import type { ConversionGraph } from '../../conversion/conversion.graph.js';
import { ConversionProcessor } from '../../conversion/conversion.processor.js';
import type { CustomResourceDefinition } from '../../custom-resources/definition.interface.js';
import type { SchemaNode } from '../../custom-resources/schema/schema.node.js';
import { HandlerExplorer } from '../../discovery/handler.explorer.js';
import { KOPF_LOGGER } from '../../kopf.tokens.js';
import { diff } from '../../objects/diffs.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { LogRecorder } from '../records/log.recorder.js';
import { conform, SchemaValues, type FieldValues } from './schema.values.js';
import { addKopf } from '../application/test.application.js';

/** The options of {@link expectRoundTrips}. */
export interface RoundTripOptions extends Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** The number of objects of each version that are converted to each other one and back. @default 100 */
  readonly runs?: number;
  /** The seed of the random objects: the same seed leads to the same objects. @default 1 */
  readonly seed?: number;
  /**
   * The makers of values of fields for which the schema is not enough, such as those with rules in CEL, by their paths with the version:
   * `'v1.spec.disks[].size'`.
   */
  readonly values?: FieldValues;
  /** CRDs of resources for which the application has no classes. */
  readonly definitions?: readonly CustomResourceDefinition[];
}

/** The numbers of what {@link expectRoundTrips} has tried. */
export interface RoundTrips {
  /** The ways that objects were sent: `widgets.example.com v1 > v1alpha1 > v1`. */
  readonly ways: readonly string[];
  /** The number of objects on all ways together. */
  readonly objects: number;
}

/**
 * Converts random objects of each version to each other one and back by the `@Convert` methods, and expects them to be the same again. Objects
 * are made by the schemas of the versions; in between, they are made to conform to the schema of the other version, as the API server does.
 *
 * @throws Error that names the first path that differs, the methods, and the seed with which it is found again.
 *
 * @example
 * it('should lose nothing', () => expectRoundTrips({ providers: [DiskConversions], runs: 500 }));
 */
export async function expectRoundTrips(options: RoundTripOptions): Promise<RoundTrips> {
  const { Test } = await import('@nestjs/testing');
  const { imports, providers, definitions = [] } = options;
  const builder = Test.createTestingModule({ imports: await addKopf(imports), providers });
  const module = await builder.overrideProvider(KOPF_LOGGER).useValue(new LogRecorder()).compile();
  try {
    const explorer = module.get(HandlerExplorer, { strict: false });
    await explorer.load();
    explorer.explore();
    const graphs = module.get(ConversionGraphs, { strict: false });
    await graphs.check();
    const processor = module.get(ConversionProcessor, { strict: false });
    const known = new Map([...graphs.known, ...definitions.map((each) => [each.metadata.name, each] as const)]);
    if (graphs.all.size === 0) throw new Error('There are no methods with @Convert() in the modules and providers.');
    const ways: string[] = [];
    for (const graph of graphs.all.values()) {
      const definition = known.get(graph.name);
      if (!definition)
        throw new Error(`The schemas of ${graph.name} are not known: give its CRD by the option definitions.`);
      ways.push(...(await new RoundTripper(graph, definition, processor, options).run()));
    }
    return { ways, objects: ways.length * (options.runs ?? 100) };
  } finally {
    await module.close().catch(() => undefined);
  }
}

/** The round trips of the objects of one resource. */
class RoundTripper {
  private readonly schemas: ReadonlyMap<string, SchemaNode>;

  constructor(
    private readonly graph: ConversionGraph,
    private readonly definition: Pick<CustomResourceDefinition, 'spec'>,
    private readonly processor: ConversionProcessor,
    private readonly options: RoundTripOptions,
  ) {
    this.schemas = new Map(definition.spec.versions.map(({ name, schema }) => [name, schema.openAPIV3Schema]));
  }

  async run(): Promise<readonly string[]> {
    const { graph } = this;
    const ways: string[] = [];
    for (const from of this.schemas.keys()) {
      for (const to of this.schemas.keys()) {
        if (from === to || !graph.pathOf(from, to) || !graph.pathOf(to, from)) continue;
        await this.send(from, to);
        ways.push(`${graph.name} ${from} > ${to} > ${from}`);
      }
    }
    return ways;
  }

  private async send(from: string, to: string): Promise<void> {
    const { runs = 100, seed = 1, values = {} } = this.options;
    const random = new SeededRandom(seed);
    const own = Object.entries(values).flatMap(([path, make]) =>
      path.startsWith(`${from}.`) ? [[path.slice(from.length + 1), make] as const] : [],
    );
    const creator = new SchemaValues(random, Object.fromEntries(own));
    for (let run = 0; run < runs; run += 1) {
      const object = this.create(creator, from, run);
      const sent = normalized(object);
      const other = this.conform(await this.processor.convert(this.graph, object, to), to);
      const returned = this.conform(await this.processor.convert(this.graph, other, from), from);
      const [difference] = diff(sent, withoutKept(normalized(returned)));
      if (difference) throw this.explain(sent, other, difference, `seed ${seed}, object ${run}`);
    }
  }

  private create(creator: SchemaValues, version: string, run: number): KubeObject {
    const { group, names } = this.definition.spec;
    const { apiVersion: _, kind: __, metadata: ___, ...properties } = this.schemas.get(version)!.properties ?? {};
    const content = creator.create({ ...this.schemas.get(version)!, type: 'object', properties }, '') as object;
    const metadata = { name: `object-${run}`, namespace: 'default', uid: `uid-${run}`, labels: { run: `${run}` } };
    return this.conform({ apiVersion: `${group}/${version}`, kind: names.kind, metadata, ...content }, version);
  }

  private conform(object: KubeObject, version: string): KubeObject {
    const { apiVersion, kind, metadata, ...content } = normalized(object);
    return { apiVersion, kind, metadata, ...(conform(content, this.schemas.get(version)!) as object) };
  }

  private explain(
    sent: KubeObject,
    other: KubeObject,
    difference: ReturnType<typeof diff>[number],
    place: string,
  ): Error {
    const [, path, before, after] = difference;
    const [from, to] = [sent, other].map(({ apiVersion }) => apiVersion!.slice(apiVersion!.indexOf('/') + 1));
    const methods = [...this.graph.pathOf(from, to)!, ...this.graph.pathOf(to, from)!].map(({ source }) => source);
    return new Error(
      `${sent.kind} is another one after ${from} > ${to} > ${from}: ${path.join('.')} was ${textOf(before)}, and is ` +
        `${textOf(after)} (${place}; by ${methods.join(', ')}).\n` +
        `${from}: ${stringifyJson(sent)}\n${to}: ${stringifyJson(other)}`,
    );
  }
}

/** Leaves out the annotations in which fields are kept, which an object that was never converted does not have. */
function withoutKept(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  const others = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith(KEPT_PREFIX));
  return {
    ...object,
    metadata: { ...metadata, ...(others.length > 0 && { annotations: Object.fromEntries(others) }) },
  };
}

/** Makes of an object what JSON has of it; it is a copy, so that methods cannot change the original. */
function normalized(object: KubeObject): KubeObject {
  return parseJson(stringifyJson(object)) as KubeObject;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? 'absent' : stringifyJson(value);
}
