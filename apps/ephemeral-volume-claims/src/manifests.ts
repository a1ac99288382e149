import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';

/** Reads a manifest of the folder `k8s/ephemeral-volume-claims`: `crd`, `sample`, or `pod`. */
export function readManifest(name: 'crd' | 'sample' | 'pod'): KubeObject {
  const file = new URL(`../../../k8s/ephemeral-volume-claims/${name}.yaml`, import.meta.url);
  return load(readFileSync(file, 'utf8')) as KubeObject;
}
