import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { cacheFolder, output } from '../client.js';
import type { SampledSchema } from './schema.sample.js';

/** One version of a CRD. */
export interface PublishedVersion {
  readonly name: string;
  readonly storage: boolean;
  readonly served: boolean;
  readonly subresources?: { readonly status?: object; readonly scale?: object };
  readonly schema?: { readonly openAPIV3Schema: SampledSchema };
}

/** A CRD as a project publishes it. */
export interface PublishedCrd {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly PublishedVersion[];
    conversion?: object;
  };
}

/** A Go module, and the folder of its CRDs. */
export interface CrdSource {
  readonly module: string;
  readonly version: string;
  readonly folder: string;
}

/** Of projects with many CRDs, the largest ones. */
const MOST = 6;

/**
 * Reads the CRDs of a project from the cache.
 *
 * @param isAllowed to download the module into Go's cache if they are not there
 * @returns undefined if they are not there
 */
export async function publishedCrds(source: CrdSource, isAllowed: boolean): Promise<PublishedCrd[] | undefined> {
  const name = `${source.module}@${source.version}.json`.replaceAll('/', '_');
  const path = join(cacheFolder('crds'), name);
  if (!existsSync(path)) {
    if (!isAllowed) return undefined;
    writeFileSync(path, JSON.stringify(await download(source)));
  }
  return JSON.parse(readFileSync(path, 'utf8')) as PublishedCrd[];
}

async function download({ module, version, folder }: CrdSource): Promise<PublishedCrd[]> {
  const printed = await output('go', ['mod', 'download', '-json', `${module}@${version}`], { cwd: cacheFolder() });
  const base = join((JSON.parse(printed) as { Dir: string }).Dir, folder);
  const files = folder.endsWith('.yaml') ? [base] : yamlFiles(base);
  const documents = files.flatMap((file) => loadAll(readFileSync(file, 'utf8')) as (PublishedCrd | undefined)[]);
  const sized = documents
    .filter((each) => each?.kind === 'CustomResourceDefinition')
    .map((crd) => ({ crd: crd!, size: JSON.stringify(crd).length }))
    .sort((one, other) => other.size - one.size);
  if (sized.length === 0) throw new Error(`${module}@${version} has no CRDs in ${folder}`);
  return sized.slice(0, MOST).map(({ crd }) => crd);
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => join(folder, file));
}
