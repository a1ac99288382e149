import { readFileSync } from 'node:fs';
import type { KubeObject, WatchEventType } from '../../libs/kopf/src/objects/kube-object.js';
import type { WebhookClientConfig } from '../../libs/kopf/src/reviews/webhook-client.config.js';

/** The golden vectors, made by running Kopf. */
export interface Vectors {
  keys: { prefix: string; v1: boolean; id: string; keys: string[]; v1Key: string; v2Key: string; suffix: string }[];
  keysOfDRS: { id: string; keys: string[] }[];
  essences: { object: KubeObject; extraFields: string[]; essence: object; cleared: object; storedPatch: object }[];
  customPrefixStore: object;
  statusStore: object;
  diffs: { a: unknown; b: unknown; full: VectorDiff; left: VectorDiff; right: VectorDiff }[];
  reduced: { a: unknown; b: unknown; field: string; reduced: VectorDiff }[];
  namespaces: { pattern: string; name: string; match: boolean }[];
  specificNamespaces: string[];
  webhookNames: { id: string; suffix: string; name: string }[];
  webhookUrls: { id: string; config: WebhookClientConfig; result: WebhookClientConfig }[];
  causes: {
    type: WatchEventType;
    deletionTimestamp: boolean;
    finalizer: boolean;
    hasOld: boolean;
    hasDiff: boolean;
    initial: boolean;
    reason: string;
    initialAfter: boolean;
  }[];
  finalizerPatches: { object: KubeObject; op: 'block' | 'allow'; jsonPatch: object[] }[];
  progress: Record<string, { store: object; purge: object; touch: object }>;
}

export type VectorDiff = [string, string[], unknown, unknown][];

/** Reads the vectors of the file in `KOPF_VECTORS`, or of the one beside. */
export function readVectors(): Vectors {
  const file = process.env.KOPF_VECTORS ?? new URL('vectors.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Vectors;
}
