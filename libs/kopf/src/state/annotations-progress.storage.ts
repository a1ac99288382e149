import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { type Essence, dropEmptyParts, removeAnnotations } from '../objects/essences.js';
import {
  type ProgressRecord,
  type ProgressStorage,
  DEFAULT_PREFIX,
  type AnnotationsStorageOptions,
  type WarningCallback,
} from './storages.js';
import { AnnotationKeys } from './annotation-keys.js';
import { markAsManaged, findOversize } from './annotation-sizes.js';
import { completeRecord, hasEssences, hashEssences } from './progress-records.js';
import { decodeState, encodeState } from './state-encoding.js';

/** Options of {@link AnnotationsProgressStorage}. */
export interface AnnotationsProgressStorageOptions extends AnnotationsStorageOptions {
  /** The name of the annotation of touches: changes without a meaning. @default touch-dummy */
  touchKey?: string;
  /** Whether members of records without a value are written as `null`. @default false */
  verbose?: boolean;
}

/**
 * The storage of the progress of handlers in annotations, one for each handler, as compact JSON: `kopf.zalando.org/create`.
 *
 * Unreadable annotations count as absent.
 *
 * @example
 * settings.persistence.progressStorage = new AnnotationsProgressStorage({ prefix: 'my-op.example.com' });
 */
export class AnnotationsProgressStorage implements ProgressStorage {
  private readonly keys: AnnotationKeys;
  private readonly touchKey: string;
  private readonly verbose: boolean;
  private readonly onWarning?: WarningCallback;

  /** @throws TypeError if the prefix is empty. */
  constructor({
    prefix = DEFAULT_PREFIX,
    touchKey = 'touch-dummy',
    verbose = false,
    v1 = true,
    onWarning,
    formerPrefixes,
  }: AnnotationsProgressStorageOptions = {}) {
    this.keys = new AnnotationKeys(prefix, v1, onWarning, formerPrefixes);
    this.touchKey = touchKey;
    this.verbose = verbose;
    this.onWarning = onWarning;
  }

  fetch(key: string, body: KubeObject): ProgressRecord | undefined {
    const annotations = body.metadata?.annotations;
    if (!annotations) return undefined;
    for (const name of this.keys.readable(key, body)) {
      const record = decodeState(annotations[name], name, body, this.onWarning);
      if (record) return record as ProgressRecord;
    }
    return undefined;
  }

  store(key: string, record: ProgressRecord, body: KubeObject, patch: Patch): void {
    const complete = completeRecord(record);
    const { annotations } = patch.metadata;
    const names = this.keys.writable(key, body);
    let encoded = encodeState(this.verbose ? complete : withoutNulls(complete));
    if (hasEssences(complete) && findOversize(body, { ...annotations, ...valuesOf(names, encoded) }) !== undefined) {
      encoded = encodeState(withoutNulls({ ...complete, ...hashEssences(complete) }));
    }
    Object.assign(annotations, valuesOf(names, encoded));
    markAsManaged(this.keys.prefix, body, patch);
    this.keys.removeFormer(key, body, patch);
  }

  purge(key: string, body: KubeObject, patch: Patch): void {
    const present = body.metadata?.annotations;
    const { annotations } = patch.metadata;
    for (const name of this.keys.readable(key, body)) {
      if (present?.[name] !== undefined) annotations[name] = null;
      else delete annotations[name];
    }
    this.keys.removeFormer(key, body, patch);
  }

  mark(body: KubeObject, patch: Patch): void {
    markAsManaged(this.keys.prefix, body, patch);
  }

  touch(value: string | null, body: KubeObject, patch: Patch): void {
    for (const name of this.keys.writable(this.touchKey, body)) {
      if ((body.metadata?.annotations?.[name] ?? null) === value) continue;
      patch.metadata.annotations[name] = value;
      markAsManaged(this.keys.prefix, body, patch);
    }
    this.keys.removeFormer(this.touchKey, body, patch);
  }

  clear(essence: Essence): Essence {
    removeAnnotations(essence, (name) => this.keys.covers(name));
    dropEmptyParts(essence);
    return essence;
  }
}

function valuesOf(names: readonly string[], value: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) values[name] = value;
  return values;
}

function withoutNulls(record: ProgressRecord): ProgressRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
