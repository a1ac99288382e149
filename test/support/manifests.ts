import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';

const MANIFESTS = join(import.meta.dirname, '../../k8s');

/** The objects of a file in the folder of manifests, in their order. */
export function readManifests(file: string): KubeObject[] {
  return loadAll(readFileSync(join(MANIFESTS, file), 'utf8')) as KubeObject[];
}
