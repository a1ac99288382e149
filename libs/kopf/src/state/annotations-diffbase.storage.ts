import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { type Essence, buildEssence, dropEmptyParts, removeAnnotations } from '../objects/essences.js';
import {
  type DiffBaseStorage,
  EssenceTooLargeError,
  DEFAULT_PREFIX,
  type AnnotationsStorageOptions,
  type WarningCallback,
} from './storages.js';
import { parseFieldPath, type FieldPath, type FieldSpec } from '../objects/field-path.js';
import { AnnotationKeys } from './annotation-keys.js';
import { findOversize, managedMarkOf, markAsManaged } from './annotation-sizes.js';
import { createHashedEssence } from './essence-hashes.js';
import { decodeState, encodeState } from './state-encoding.js';

/** Options of {@link AnnotationsDiffBaseStorage}. */
export interface AnnotationsDiffBaseStorageOptions extends AnnotationsStorageOptions {
  /** The name of the annotation. @default last-handled-configuration */
  key?: string;
  /** The fields whose changes are not essential, in addition to system fields and the status. @default none */
  ignoredFields?: readonly FieldSpec[];
  /**
   * What happens to an essence that does not fit into the annotations (256 KiB in all). `error`: an `EssenceTooLargeError` is thrown.
   * `hash`: a hash is stored instead, which shows that something has changed, but not what. Python Kopf takes such an object for changed.
   * @default error
   */
  oversize?: 'error' | 'hash';
  /**
   * Whether an essence is ignored that came with a copy of another object's annotations (`kubectl get -o yaml
   * kubectl apply`), so that the copy is handled as created. For this, the uid of the object is stored in a further annotation. Without
   * that annotation, as on objects handled by Python Kopf, the essence is used.
   * @default false
   */
  detectCopies?: boolean;
}

/**
 * The storage of the last handled essence in an annotation, as compact JSON: `kopf.zalando.org/last-handled-configuration`. The default
 * storage.
 *
 * An unreadable annotation counts as absent: the object is handled as created.
 *
 * @example
 * settings.persistence.diffbaseStorage = new AnnotationsDiffBaseStorage({ ignoredFields: ['spec.replicas'] });
 */
export class AnnotationsDiffBaseStorage implements DiffBaseStorage {
  private readonly keys: AnnotationKeys;
  private readonly key: string;
  private readonly uidKey: string;
  private readonly ignoredFields: readonly FieldPath[];
  /** What happens to an essence that does not fit; see the option. */
  readonly oversize: 'error' | 'hash';
  private readonly detectCopies: boolean;
  private readonly onWarning?: WarningCallback;

  /** @throws TypeError if the prefix is empty, or a field is malformed. */
  constructor({
    prefix = DEFAULT_PREFIX,
    key = 'last-handled-configuration',
    ignoredFields = [],
    v1 = true,
    oversize = 'error',
    detectCopies = false,
    onWarning,
    formerPrefixes,
  }: AnnotationsDiffBaseStorageOptions = {}) {
    this.keys = new AnnotationKeys(prefix, v1, onWarning, formerPrefixes);
    this.key = key;
    this.uidKey = `${key}-uid`;
    this.ignoredFields = ignoredFields.map(parseFieldPath);
    this.oversize = oversize;
    this.detectCopies = detectCopies;
    this.onWarning = onWarning;
  }

  build(body: KubeObject, extraFields: readonly FieldPath[]): Essence {
    const essence = buildEssence(body, extraFields, this.ignoredFields);
    const own = this.keys.readable(this.key, body);
    const uids = this.keys.readable(this.uidKey, body);
    removeAnnotations(essence, (name) => own.includes(name) || uids.includes(name));
    dropEmptyParts(essence);
    return essence;
  }

  fetch(body: KubeObject): Essence | undefined {
    const annotations = body.metadata?.annotations;
    if (!annotations || this.isCopied(body)) return undefined;
    for (const name of this.keys.readable(this.key, body)) {
      const essence = decodeState(annotations[name], name, body, this.onWarning);
      if (essence) return essence;
    }
    return undefined;
  }

  /** @throws EssenceTooLargeError if the essence does not fit and is not replaced by a hash; nothing is stored then. */
  store(body: KubeObject, patch: Patch, essence: Essence): void {
    let changes = this.createChanges(body, essence);
    const former = this.keys.formerChanges(this.key, body);
    const size = findOversize(body, { ...patch.metadata.annotations, ...former, ...changes });
    if (size !== undefined) {
      if (this.oversize === 'error') throw new EssenceTooLargeError(size);
      changes = this.createChanges(body, createHashedEssence(essence));
    }
    Object.assign(patch.metadata.annotations, changes);
    markAsManaged(this.keys.prefix, body, patch);
    this.removeFormer(body, patch);
  }

  migrate(body: KubeObject, patch: Patch): void {
    const former = this.keys.findFormer(this.key, body);
    if (former === undefined) return;
    const { annotations } = patch.metadata;
    const names = this.keys.writable(this.key, body);
    const isStored = names.some((name) => (annotations[name] ?? body.metadata.annotations?.[name]) !== undefined);
    if (!isStored) {
      for (const name of names) annotations[name] = former;
      Object.assign(annotations, this.createClaim(body));
      markAsManaged(this.keys.prefix, body, patch);
    }
    this.removeFormer(body, patch);
  }

  isCopied(body: KubeObject): boolean {
    const annotations = body.metadata?.annotations;
    if (!this.detectCopies || !annotations) return false;
    const owner = this.keys.readable(this.uidKey, body).map((name) => annotations[name]);
    const uid = owner.find((value) => value !== undefined);
    return uid !== undefined && uid !== body.metadata.uid;
  }

  claim(body: KubeObject, patch: Patch): void {
    if (!this.detectCopies) return;
    // With the object's uid beside it, an essence that came with a copy would count, so it is removed.
    if (this.isCopied(body)) {
      for (const name of this.keys.readable(this.key, body)) {
        if (body.metadata.annotations?.[name] !== undefined) patch.metadata.annotations[name] = null;
      }
    }
    for (const [name, uid] of Object.entries(this.createClaim(body))) {
      if (body.metadata.annotations?.[name] !== uid) patch.metadata.annotations[name] = uid;
    }
  }

  private removeFormer(body: KubeObject, patch: Patch): void {
    this.keys.removeFormer(this.uidKey, body, patch);
    this.keys.removeFormer(this.key, body, patch);
  }

  ownFields(body: KubeObject): readonly FieldPath[] {
    const names = [...this.keys.readable(this.key, body), ...this.keys.readable(this.uidKey, body)];
    return [...names, managedMarkOf(this.keys.prefix)].map((name) => ['metadata', 'annotations', name]);
  }

  private createChanges(body: KubeObject, essence: Essence): Record<string, string> {
    // Kopf appends the line feed, which keeps the output of kubectl readable.
    const encoded = `${encodeState(essence)}\n`;
    const changes: Record<string, string> = {};
    for (const name of this.keys.writable(this.key, body)) changes[name] = encoded;
    return Object.assign(changes, this.createClaim(body));
  }

  private createClaim(body: KubeObject): Record<string, string> {
    const claim: Record<string, string> = {};
    if (!this.detectCopies || !body.metadata?.uid) return claim;
    for (const name of this.keys.writable(this.uidKey, body)) claim[name] = body.metadata.uid;
    return claim;
  }
}
